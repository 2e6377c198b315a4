package io.evenkeel.commands;

import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.JsonText;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.TextTable;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Session;
import io.evenkeel.v1.BlockingPod;
import io.evenkeel.v1.ChangeNode;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.NodeRemoval;
import io.evenkeel.v1.OperationResult;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code evenkeel drain}: which nodes can be removed, and to which nodes their pods would go. */
@Command(
        name = "drain",
        description = {
            "Show which nodes can be drained, to which nodes their pods would go, and which pods prevent it. Changes nothing:"
                    + " it answers about a copy of the cluster.",
            "",
            "The nodes go together, as by kubectl drain: all are cordoned, and then each is judged after those before it that"
                    + " can be removed are gone. Pods are created again and placed one after another, by namespace and name."
                    + " Which pods prevent a removal is decided by the rules of cluster-autoscaler.",
            "",
            "-o json prints the fields of an evenkeel.v1.SimulateRemovalResponse, and the names of the nodes.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:every node can be removed",
            "1:a node cannot be removed",
            "2:wrong usage, a file or a server that cannot be read, a node that does not exist, or a pod that is invalid"
        })
final class Drain implements Callable<Integer> {
    @Parameters(paramLabel = "NODE", arity = "1..*", description = "The names of the nodes.")
    private List<String> nodes = new ArrayList<>();

    @Option(names = "--each", description = "Judge each node by itself, while the others stay as they are.")
    private boolean each;

    @Option(
            names = "--gone-at-once",
            description =
                    "A node is gone before its pods are placed. Otherwise it is empty until then, and still counts as a"
                            + " domain.")
    private boolean goneAtOnce;

    @Mixin
    private RuleOption rule = new RuleOption();

    @Mixin
    private ClusterQuestion question = new ClusterQuestion();

    Drain() {}

    @Override
    public Integer call() throws IOException {
        question.check(null);
        question.requireDefaultsOfServer();
        return question.use(null, object -> {}, cluster -> {
            SimulateRemovalResponse answer = cluster.ask(this::simulate);
            question.print(
                    () -> text(answer),
                    () -> JsonText.of(new TreeMap<>(Map.of(
                            "nodes", nodes,
                            "notScored", List.copyOf(answer.getNotScoredList()),
                            "destinations", List.copyOf(answer.getDestinationsList()),
                            "disruptionBudgetsUnknown", answer.getDisruptionBudgetsUnknown(),
                            "removals", answer.getRemovalsList()))));
            return removable(answer) == nodes.size() ? ExitCodes.OK : ExitCodes.NOT_WELL;
        });
    }

    private SimulateRemovalResponse simulate(PlacementClient client) {
        try (Session session = client.openSession()) {
            if (!each) {
                cordon(session);
            }
            SimulateRemovalResponse answer = client.simulateRemoval(SimulateRemovalRequest.newBuilder()
                    .setSession(session.id())
                    .addAllNodes(nodes)
                    .setTogether(!each)
                    .setGoneAtOnce(goneAtOnce)
                    .setRule(rule.rule())
                    .build());
            for (NodeRemoval removal : answer.getRemovalsList()) {
                if (removal.hasError()) {
                    throw PlacementException.of(removal.getError());
                }
            }
            return answer;
        }
    }

    private void cordon(Session session) {
        List<SessionOperation> cordons = nodes.stream()
                .map(node -> SessionOperation.newBuilder()
                        .setChangeNode(ChangeNode.newBuilder().setNode(node).setUnschedulable(true))
                        .build())
                .toList();
        for (OperationResult result : session.change(cordons).getResultsList()) {
            // A node that does not exist is an error of the removal, too.
            if (result.hasError() && result.getError().getReason() != ErrorReason.ERROR_REASON_NODE_UNKNOWN) {
                throw PlacementException.of(result.getError());
            }
        }
    }

    private static long removable(SimulateRemovalResponse answer) {
        return answer.getRemovalsList().stream()
                .filter(NodeRemoval::getRemovable)
                .count();
    }

    private String text(SimulateRemovalResponse answer) {
        StringBuilder text = new StringBuilder();
        text.append(removable(answer) + " of " + nodes.size() + (nodes.size() == 1 ? " node" : " nodes")
                + " can be removed" + (each && nodes.size() > 1 ? ", each by itself" : "") + ".\n");
        if (answer.getDisruptionBudgetsUnknown()) {
            text.append("PodDisruptionBudgets are not known, so they are not respected.\n");
        }
        for (int i = 0; i < nodes.size(); i++) {
            NodeRemoval removal = answer.getRemovals(i);
            text.append('\n').append(Paragraphs.printable(nodes.get(i)));
            if (removal.getRemovable()) {
                appendMoves(text, removal, answer.getDestinationsList());
            } else {
                text.append(" cannot be removed.\n");
                TextTable table = new TextTable(2).left("POD").left("WHY IT STAYS");
                removal.getBlockingPodsList().forEach(pod -> table.row(name(pod.getPod()), reason(pod)));
                table.appendTo(text, question.rows());
            }
            UnplacedCauses.appendUnjudged(text, 2, removal.getUnjudgedList());
        }
        UnplacedCauses.appendNotScored(text, answer.getNotScoredList());
        return text.toString();
    }

    private void appendMoves(StringBuilder text, NodeRemoval removal, List<String> destinations) {
        int ending = removal.getMirrorPodCount() + removal.getDaemonPodCount();
        int moving = removal.getPodsCount();
        text.append(" can be removed: " + moving + (moving == 1 ? " pod moves, " : " pods move, ")
                + ending + (ending == 1 ? " ends with the node" : " end with the node")
                + (removal.getGonePodCount() > 0 ? ", " + removal.getGonePodCount() + " past the grace period" : "")
                + ".\n");
        if (moving > 0) {
            TextTable table = new TextTable(2).left("POD").left("NEW NODE");
            for (int i = 0; i < moving; i++) {
                table.row(name(removal.getPods(i)), destinations.get(removal.getPodDestinations(i)));
            }
            table.appendTo(text, question.rows());
        }
        if (removal.getExceedsDisruptionBudget()) {
            text.append("  Evictions must wait, because a disruption budget does not allow all of them now.\n");
        }
    }

    private static String name(PodReference pod) {
        return pod.getNamespace() + "/" + pod.getName();
    }

    private static String reason(BlockingPod pod) {
        String why = switch (pod.getReason()) {
            case BLOCKING_REASON_NO_NODE -> pod.getSummary() + " " + UnplacedCauses.of(pod.getConstraint());
            case BLOCKING_REASON_NOT_REPLICATED -> "no controller would create it again";
            case BLOCKING_REASON_NOT_SAFE_TO_EVICT -> "it is annotated safe-to-evict: \"false\"";
            case BLOCKING_REASON_LOCAL_STORAGE -> "it has an emptyDir on disk or a hostPath";
            case BLOCKING_REASON_RUNS_TO_COMPLETION ->
                "it is annotated safe-to-evict: \"on-completion\", and has not finished";
            case BLOCKING_REASON_NOT_ENOUGH_DISRUPTION_BUDGET ->
                "no more evictions are allowed by " + String.join(", ", pod.getDisruptionBudgetsList());
            case BLOCKING_REASON_UNSPECIFIED, UNRECOGNIZED -> "the reason is not known";
        };
        return pod.getReason().name().replace("BLOCKING_REASON_", "") + ": " + why.strip();
    }
}
