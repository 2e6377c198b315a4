package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.Durations;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.JsonText;
import io.evenkeel.client.PlacementException;
import io.evenkeel.eviction.EvictionOutcome;
import io.evenkeel.eviction.EvictionRun;
import io.evenkeel.eviction.LiveCluster;
import io.evenkeel.eviction.StopHook;
import io.evenkeel.kube.PodEvictions;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.UnjudgedRule;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code evenkeel rebalance}: the fewest moves that bring constraints within maxSkew. */
@Command(
        name = "rebalance",
        description = {
            "Plan the fewest moves of pods that bring the hard constraints of workloads within maxSkew. Changes nothing,"
                    + " except with --evict.",
            "",
            "Each row is a pod to evict, and the node that its replacement should go to. Evict the pods in this order, each"
                    + " after the replacement of the one before runs, or together with the next one if the row says so. Stop"
                    + " at a row that is not possible. The scheduler chooses the nodes of replacements, so plan"
                    + " again now and then. --evict does this.",
            "",
            "Pods stay if no controller would create them again, if they have local storage or are annotated as not safe to"
                    + " evict, if a PodDisruptionBudget allows no eviction now, or if they have several budgets. Pods of Jobs"
                    + " stay unless they are annotated as safe to evict.",
            "",
            "Rules for volumes, affinity between pods, resource claims and scheduling gates are not judged. The rows of pods"
                    + " with such rules say so: their new nodes may reject them.",
            "",
            "-o json prints the moves, and the other fields of an evenkeel.v1.RebalanceResponse; with --evict, what was"
                    + " evicted, at the end.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:the constraints are within maxSkew, or the moves would bring them there",
            "1:a constraint would still exceed maxSkew; with --evict, it does, or the evictions stopped early",
            "2:wrong usage, a file or a server that cannot be read, a namespace or workload without pods, or evictions"
                    + " that the API server refuses",
            "130:stopped by SIGINT",
            "143:stopped by SIGTERM"
        })
final class Rebalance implements Callable<Integer> {
    @Parameters(
            paramLabel = "KIND/NAME",
            arity = "0..*",
            description = "The workloads, such as Deployment/web (default: all of the namespace).")
    private List<String> names = new ArrayList<>();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "The namespace of the workloads (default: default; with --kube, that of the context).")
    private @Nullable String namespace;

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Plan for the workloads of all namespaces.")
    private boolean all;

    @Option(names = "--soft", description = "Bring soft constraints (ScheduleAnyway) within maxSkew as well.")
    private boolean soft;

    @ArgGroup(exclusive = false)
    private @Nullable EvictOptions evict;

    @Mixin
    private ClusterQuestion question = new ClusterQuestion();

    Rebalance() {}

    /** The options for evictions. */
    private static final class EvictOptions {
        @Option(
                names = "--evict",
                required = true,
                description =
                        "Evict the pods through the Eviction API, a few at a time, and plan again after each batch, until"
                                + " nothing is left to do. Stops if a batch does not help, a replacement stays pending, or the"
                                + " API server keeps rejecting an eviction. Needs --kube, and the right to create pods/eviction.")
        private boolean on;

        @Option(
                names = "--batch",
                paramLabel = "COUNT",
                defaultValue = "5",
                description =
                        "With --evict: how many pods to evict together at most; of each controller, at most a quarter of its"
                                + " pods, or one. Moves that are only possible together are not divided (default:"
                                + " ${DEFAULT-VALUE}).")
        private int batch = 5;

        @Option(
                names = "--timeout",
                paramLabel = "DURATION",
                converter = Durations.class,
                defaultValue = "60s",
                description =
                        "With --evict: stop if a replacement has been missing or pending for this long, or if the API server"
                                + " has rejected an eviction for this long (default: ${DEFAULT-VALUE}).")
        private Duration timeout = Duration.ZERO;

        @Option(
                names = "--ready-timeout",
                paramLabel = "DURATION",
                converter = Durations.class,
                defaultValue = "10m",
                description = "With --evict: stop if a replacement has started and is not ready for this long (default:"
                        + " ${DEFAULT-VALUE}).")
        private Duration readyTimeout = Duration.ZERO;

        @Option(
                names = "--evict-unjudged",
                description = "With --evict: evict pods with rules that are not judged as well. Otherwise, stops before"
                        + " the first of them.")
        private boolean unjudged;

        private EvictOptions() {}
    }

    @Override
    public Integer call() throws IOException {
        question.check(null);
        question.requireDefaultsOfServer();
        if (all && (namespace != null || !names.isEmpty())) {
            throw question.wrongUsage("-A cannot be combined with -n or with names");
        }
        String there = all ? null : Objects.requireNonNullElse(namespace, question.defaultNamespace());
        EvictOptions options = evict;
        if (options != null && options.on) {
            return evict(options, there);
        }
        return question.use(there, object -> {}, cluster -> {
            RebalanceResponse plan = plan(cluster, there);
            question.print(() -> new RebalanceText(question.rows(), soft).of(plan), () -> json(plan));
            return plan.getExcessAfter() > 0 ? ExitCodes.NOT_WELL : ExitCodes.OK;
        });
    }

    @SuppressWarnings("try") // The hook acts when a signal arrives.
    private int evict(EvictOptions options, @Nullable String there) throws IOException {
        ClusterAccess access = question.access();
        if (access == null) {
            throw question.wrongUsage("--evict needs --kube: pods are evicted, and seen again, at an API server");
        }
        if (options.batch < 1) {
            throw question.wrongUsage("--batch must be at least 1, was " + options.batch);
        }
        if (options.timeout.isZero() || options.readyTimeout.isZero()) {
            throw question.wrongUsage("--timeout and --ready-timeout must be more than 0");
        }
        LiveCluster live = new LiveCluster(
                pod -> there == null || there.equals(pod.getMetadata().getNamespace()), question::warn);
        return question.follow(live, cluster -> {
            try (PodEvictions api = new PodEvictions(access);
                    StopHook unused = new StopHook(live::stop, api::close)) {
                return evict(options, live, api, () -> plan(cluster, there));
            }
        });
    }

    private int evict(EvictOptions options, LiveCluster live, PodEvictions api, EvictionRun.Plans plans)
            throws IOException {
        RebalanceResponse first = plans.next();
        RebalanceText text = new RebalanceText(question.rows(), soft);
        question.printText(() -> text.of(first));
        question.begin("evicting pods");
        EvictionRun.Settings settings =
                new EvictionRun.Settings(options.batch, options.timeout, options.readyTimeout, options.unjudged);
        EvictionOutcome outcome = new EvictionRun(live, api, plans, settings, batch -> {
                    question.printText(() -> EvictionText.of(batch));
                    question.begin("evicting pods");
                })
                .run(first);
        RebalanceResponse last = outcome.last();
        question.print(
                () -> first.getMovesCount() == 0
                        ? ""
                        : EvictionText.of(outcome, first) + (last == null ? "" : "\n" + text.of(last)),
                () -> JsonText.of(EvictionText.json(outcome, first)));
        IOException failure = outcome.failure();
        if (failure != null) {
            throw failure instanceof CommandFailure ? failure : new CommandFailure("--kube: " + failure.getMessage());
        }
        return outcome.stop() != null || last == null || last.getExcessBefore() > 0 ? ExitCodes.NOT_WELL : ExitCodes.OK;
    }

    private RebalanceResponse plan(AskedCluster cluster, @Nullable String in) throws IOException {
        RebalanceRequest.Builder request = RebalanceRequest.newBuilder().setIncludeSoft(soft);
        if (in != null) {
            request.addNamespaces(in);
            if (!names.isEmpty()) {
                request.addAllWorkloads(NamedWorkloads.find(cluster, names, in));
            }
        }
        try {
            return cluster.client().rebalance(request.build());
        } catch (PlacementException e) {
            throw NamedWorkloads.failure(cluster, e, String.valueOf(in));
        }
    }

    private static String json(RebalanceResponse plan) {
        List<Map<String, Object>> moves = new ArrayList<>();
        for (PodMove move : plan.getMovesList()) {
            moves.add(new TreeMap<>(Map.of(
                    "pod", move.getPod(),
                    "from", plan.getNodes(move.getFrom()),
                    "to", plan.getNodes(move.getTo()),
                    "rejected", move.getRejected(),
                    "togetherWithNext", move.getTogetherWithNext(),
                    "schedulerChoice", move.getSchedulerChoice(),
                    "unjudged", names(move.getUnjudgedList()))));
        }
        Map<String, Object> document = new TreeMap<>(Map.of(
                "excessBefore", plan.getExcessBefore(),
                "excessAfter", plan.getExcessAfter(),
                "moves", moves,
                "minMoveCount", plan.getMinMoveCount(),
                "impossibleMoveCount", plan.getImpossibleMoveCount(),
                "unjudged", names(plan.getUnjudgedList()),
                "unrepaired", plan.getUnrepairedList(),
                "disruptionBudgetsUnknown", plan.getDisruptionBudgetsUnknown()));
        if (plan.hasUnreadable()) {
            document.put("unreadable", plan.getUnreadable());
        }
        return JsonText.of(document);
    }

    private static List<String> names(List<UnjudgedRule> rules) {
        return rules.stream().map(UnjudgedRule::name).toList();
    }
}
