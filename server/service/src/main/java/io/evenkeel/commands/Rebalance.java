package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.JsonText;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code evenkeel rebalance}: the fewest moves that bring constraints within maxSkew. */
@Command(
        name = "rebalance",
        description = {
            "Plan the fewest moves of pods that bring the hard constraints of workloads within maxSkew. Changes nothing.",
            "",
            "Each row is a pod to evict, and the node that its replacement should go to. Evict the pods in this order, each"
                    + " after the replacement of the one before runs. The scheduler chooses the nodes of replacements, so plan"
                    + " again now and then.",
            "",
            "Pods stay if no controller would create them again, if they have local storage or are annotated as not safe to"
                    + " evict, or if a PodDisruptionBudget allows no eviction now.",
            "",
            "-o json prints the moves, and the other fields of an evenkeel.v1.RebalanceResponse.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:the constraints are within maxSkew, or the moves would bring them there",
            "1:a constraint would still exceed maxSkew",
            "2:wrong usage, a file or a server that cannot be read, or a namespace or workload without pods"
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

    @Mixin
    private ClusterQuestion question = new ClusterQuestion();

    Rebalance() {}

    @Override
    public Integer call() throws IOException {
        question.check(null);
        question.requireDefaultsOfServer();
        if (all && (namespace != null || !names.isEmpty())) {
            throw question.wrongUsage("-A cannot be combined with -n or with names");
        }
        String there = all ? null : Objects.requireNonNullElse(namespace, question.defaultNamespace());
        return question.use(there, object -> {}, cluster -> {
            RebalanceResponse plan = plan(cluster, there);
            question.print(() -> new RebalanceText(question.rows(), soft).of(plan), () -> json(plan));
            return plan.getExcessAfter() > 0 ? ExitCodes.NOT_WELL : ExitCodes.OK;
        });
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
                    "schedulerChoice", move.getSchedulerChoice())));
        }
        return JsonText.of(new TreeMap<>(Map.of(
                "excessBefore", plan.getExcessBefore(),
                "excessAfter", plan.getExcessAfter(),
                "moves", moves,
                "minMoveCount", plan.getMinMoveCount(),
                "unrepaired", plan.getUnrepairedList(),
                "disruptionBudgetsUnknown", plan.getDisruptionBudgetsUnknown())));
    }
}
