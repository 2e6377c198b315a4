package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.JsonText;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code evenkeel simulate}: carries out a script, or loses a domain, in a hypothetical cluster. */
@Command(
        name = "simulate",
        description = {
            "Try out what would happen if nodes and pods came or went, without changing the cluster.",
            "",
            "A script has one step a line, and # begins a comment. Files are relative to the script:",
            "  add N nodes from FILE named PREFIX",
            "  remove node NODE",
            "  cordon NODE, uncordon NODE",
            "  label NODE KEY=VALUE, unlabel NODE KEY",
            "  place N pods of FILE [on NODE]",
            "  move pod POD to NODE, delete pod POD",
            "  skew FILE, explain FILE",
            "  fork, commit, revert",
            "",
            "--lose removes the nodes of a domain. Pods with a controller, except those of DaemonSets, are created again"
                    + " and placed on other nodes one after another, by namespace and name.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:every pod was placed",
            "1:pods found no node",
            "2:wrong usage, a file or a server that cannot be read, or a step that is invalid"
        })
final class Simulate implements Callable<Integer> {
    @ArgGroup(multiplicity = "1")
    private What what = new What();

    /** The options that name the changes. */
    static final class What {
        @Parameters(paramLabel = "SCRIPT", description = "A file with steps. - is standard input.")
        private @Nullable String script;

        @Option(
                names = "--lose",
                paramLabel = "KEY=VALUE",
                description =
                        "The nodes with this label are lost, such as topology.kubernetes.io/zone=a; with --cluster or --kube."
                                + " -n and -A choose the workloads to report.")
        private @Nullable String lost;
    }

    @Mixin
    private RuleOption rule = new RuleOption();

    @Mixin
    private ClusterQuestion question = new ClusterQuestion();

    @Mixin
    private NamespaceOptions namespaces = new NamespaceOptions();

    Simulate() {}

    @Override
    public Integer call() throws IOException {
        String lost = what.lost;
        if (lost != null && !lost.matches("[^=]+=.*")) {
            throw question.wrongUsage("--lose must be KEY=VALUE, was '" + lost + "'");
        }
        namespaces.check(question, lost == null ? null : "--lose");
        question.check(what.script);
        question.requireDefaultsOfServer();
        if (lost != null) {
            String namespace = namespaces.inQuestion(question);
            ClusterContent content = new ClusterContent();
            return question.use(null, content::look, cluster -> lose(cluster, content, lost, namespace));
        }
        String script = String.valueOf(what.script);
        String usual = namespaces.ofPods(question);
        Set<String> used = new HashSet<>();
        List<ScriptStep> steps =
                SimulationScript.read(script, usual, question.rows(), rule.rule(), used::add, question::warn);
        String only = used.size() > 1 ? null : used.stream().findFirst().orElse(usual);
        return question.use(only, object -> {}, cluster -> run(cluster, script, steps));
    }

    private int lose(AskedCluster cluster, ClusterContent content, String lost, @Nullable String namespace)
            throws CommandFailure {
        String[] label = lost.split("=", 2);
        LostDomain domain = new LostDomain(
                label[0],
                label[1],
                rule.rule(),
                workload -> namespace == null || namespace.equals(workload.namespace()));
        if (content.nodes().stream().noneMatch(domain::has)) {
            throw new CommandFailure(Paragraphs.printable("no node has the label " + lost));
        }
        boolean allPlaced = cluster.ask(client -> domain.lose(client, content));
        question.print(() -> domain.text(question.rows()), () -> JsonText.of(domain.fields()));
        return allPlaced ? ExitCodes.OK : ExitCodes.NOT_WELL;
    }

    private int run(AskedCluster cluster, String script, List<ScriptStep> steps) throws CommandFailure {
        StringBuilder text = new StringBuilder();
        List<Map<String, ?>> results = new ArrayList<>();
        boolean allPlaced = true;
        try (Session session = cluster.ask(PlacementClient::openSession)) {
            for (ScriptStep step : steps) {
                ScriptStep.Result result;
                try {
                    result = step.action().run(cluster, session);
                } catch (PlacementException e) {
                    throw new CommandFailure(SimulationScript.at(script, step.line())
                            + cluster.failure(e).getMessage());
                }
                text.append(Paragraphs.printable(step.text())).append('\n').append(result.text());
                results.add(new TreeMap<>(Map.of("line", step.line(), "step", step.text(), "result", result.fields())));
                allPlaced &= result.allPlaced();
            }
        }
        question.print(text::toString, () -> JsonText.of(Map.of("steps", results)));
        return allPlaced ? ExitCodes.OK : ExitCodes.NOT_WELL;
    }
}
