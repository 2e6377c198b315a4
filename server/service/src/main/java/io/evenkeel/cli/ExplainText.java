package io.evenkeel.cli;

import io.evenkeel.v1.Advice;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeDomain;
import io.evenkeel.v1.NodeExplanation;
import io.evenkeel.v1.NodeReason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Writes explanations as plain text for a terminal, in lines of at most {@link Paragraphs#WIDTH} characters. Only the
 * summary is never wrapped, as in kube-scheduler.
 *
 * @param maxRows the maximum number of rows in a table; if there are more domains, the emptiest and the fullest are
 *     shown
 * @param state what the pod's own status says
 */
public record ExplainText(int maxRows, PodState state) {
    private static final int MAX_REASONS = 20;
    private static final int MAX_NAMES = 6;

    /** For a pod of which only the explanation is known. */
    public ExplainText(int maxRows) {
        this(maxRows, PodState.UNKNOWN);
    }

    /**
     * The whole explanation: the summary, each constraint with its domains, likely mistakes, the nodes, and what was
     * not checked.
     */
    public String explain(ExplainResponse response) {
        StringBuilder text = new StringBuilder();
        appendSummary(text, response);
        for (ConstraintExplanation constraint : response.getConstraintsList()) {
            text.append('\n');
            new ConstraintText(response, constraint, maxRows).appendTo(text);
        }
        appendAdvice(text, response);
        appendNodes(text, response);
        appendNotJudged(text, response);
        return text.toString();
    }

    /** The nodes that are available to the pod, best first, and why the others are not. */
    public String place(ExplainResponse response) {
        StringBuilder text = new StringBuilder();
        appendSummary(text, response);
        appendNodes(text, response);
        appendNotJudged(text, response);
        return text.toString();
    }

    private void appendSummary(StringBuilder text, ExplainResponse response) {
        if (!state.held().isEmpty()) {
            Paragraphs.append(text, 0, state.held());
        }
        text.append(Paragraphs.printable(response.getSummary())).append('\n');
        state.compared(response.getSummary(), response.getUnjudgedRulesList())
                .forEach(sentence -> Paragraphs.append(text, 0, sentence));
        if (response.getPlaced()) {
            Paragraphs.append(
                    text, 0, "The pod already has a node; the answer is what would apply if it were not placed.");
        }
        if (response.hasOwnNode()) {
            Paragraphs.append(text, 0, ofOwnNode(response));
        }
        if (response.getConstraintsCount() == 0) {
            Paragraphs.append(
                    text,
                    0,
                    response.getDefaulted()
                            ? "No constraint applies: the pod has none itself, and the cluster-level defaults apply only to pods with a Service,"
                                    + " ReplicationController, ReplicaSet or StatefulSet that selects them."
                            : "No constraint applies: the pod has none, and there are no cluster-level defaults.");
        } else if (response.getDefaulted()) {
            Paragraphs.append(text, 0, "The pod has no constraints; these are the cluster-level defaults.");
        }
        if (response.getUnknownCandidatesCount() > 0) {
            Paragraphs.append(text, 0, "Unknown candidates: " + String.join(", ", response.getUnknownCandidatesList()));
        }
        appendGaps(text, response);
    }

    /** Whether the pod's own node would still be chosen, and by what margin another is better. */
    private static String ofOwnNode(ExplainResponse response) {
        NodeExplanation own = response.getOwnNode();
        if (own.getCode() != NodeCode.NODE_CODE_SUCCESS) {
            return "Its own node " + own.getName() + " would not pass: " + own.getDetail() + ".";
        }
        String passes = "Its own node " + own.getName() + " would still pass";
        if (!isScored(response) || response.getVerdictsCount() == 0) {
            return passes + ".";
        }
        NodeExplanation best = response.getVerdicts(0);
        int margin = best.getScore() - own.getScore();
        return passes + ", with score " + own.getScore()
                + (margin == 0
                        ? ", which is the best."
                        : ", " + margin + " below the best (" + best.getName() + " with " + best.getScore() + ").");
    }

    private static boolean isScored(ExplainResponse response) {
        return response.getConstraintsList().stream().anyMatch(constraint -> !isHard(constraint));
    }

    private static void appendGaps(StringBuilder text, ExplainResponse response) {
        List<String> gaps = new ArrayList<>();
        if (response.getNodesWithoutAllocatable() > 0) {
            gaps.add(response.getNodesWithoutAllocatable()
                    + " of the nodes came without status.allocatable and take no pod");
        }
        if (response.getPodsWithoutRequests() > 0) {
            gaps.add(response.getPodsWithoutRequests()
                    + " of the pods on nodes came without containers and take no resources");
        }
        if (!gaps.isEmpty()) {
            Paragraphs.append(
                    text,
                    0,
                    "Resources are incomplete: " + String.join("; ", gaps)
                            + ". --rules enterable does not check them.");
        }
    }

    private static void appendAdvice(StringBuilder text, ExplainResponse response) {
        if (response.getAdviceCount() > 0) {
            text.append("\nLikely mistakes\n");
            for (Advice advice : response.getAdviceList()) {
                Paragraphs.append(text, 2, advice.getField());
                Paragraphs.append(text, 4, advice.getMessage());
            }
        }
    }

    private static void appendNotJudged(StringBuilder text, ExplainResponse response) {
        if (response.getUnjudgedRulesCount() == 0) {
            return;
        }
        text.append('\n');
        Paragraphs.append(text, 0, "Not checked: " + String.join(", ", response.getUnjudgedRulesList()) + ".");
        response.getUnjudgedList().forEach(each -> Paragraphs.append(text, 2, each.getMessage()));
    }

    private void appendNodes(StringBuilder text, ExplainResponse response) {
        appendPassed(text, response);
        appendOthers(text, response);
    }

    private void appendPassed(StringBuilder text, ExplainResponse response) {
        List<NodeExplanation> passed = response.getVerdictsList().stream()
                .filter(node -> node.getCode() == NodeCode.NODE_CODE_SUCCESS)
                .toList();
        if (passed.isEmpty()) {
            return;
        }
        boolean scored = isScored(response);
        text.append(isIncomplete(response) ? "\nNodes that pass what is judged" : "\nAvailable nodes")
                .append(scored ? ", best first\n" : "\n");
        TextTable table = new TextTable(2).left("NODE");
        if (scored) {
            table.right("SCORE");
        }
        for (ConstraintExplanation constraint : response.getConstraintsList()) {
            String key = constraint.getConstraint().getTopologyKey();
            table.left("[" + constraint.getIndex() + "] " + key.substring(key.lastIndexOf('/') + 1));
        }
        int shown = Math.min(maxRows, passed.size());
        passed.subList(0, shown).forEach(node -> table.row(cells(node, scored)));
        List<NodeExplanation> own = passed.subList(shown, passed.size()).stream()
                .filter(node -> node.getName().equals(response.getOwnNode().getName()))
                .toList();
        int more = response.getPassedCount() - shown - own.size();
        if (!own.isEmpty()) {
            if (more > 0) {
                table.gap("... " + more + " more");
            }
            own.forEach(node -> table.row(cells(node, scored)));
        }
        table.appendTo(text);
        if (own.isEmpty() && more > 0) {
            text.append("  and ").append(more).append(" more\n");
        }
    }

    /** Whether there are rules that can exclude nodes for the pod and are not judged. */
    private static boolean isIncomplete(ExplainResponse response) {
        return response.getUnjudgedRulesCount() > 0;
    }

    private static List<Object> cells(NodeExplanation node, boolean scored) {
        List<Object> cells = new ArrayList<>();
        cells.add(node.getName());
        if (scored) {
            cells.add(node.getScore());
        }
        node.getDomainsList().forEach(domain -> cells.add(cell(node, domain)));
        return cells;
    }

    private static String cell(NodeExplanation node, NodeDomain domain) {
        String pods = "(" + domain.getMatchingPodCount() + ")";
        if (!domain.hasValue()) {
            return "no such label";
        }
        return domain.getValue().equals(node.getName()) ? pods : domain.getValue() + " " + pods;
    }

    private void appendOthers(StringBuilder text, ExplainResponse response) {
        Map<String, List<NodeExplanation>> nodesOfReason = new LinkedHashMap<>();
        for (NodeExplanation node : response.getVerdictsList()) {
            if (node.getCode() != NodeCode.NODE_CODE_SUCCESS) {
                nodesOfReason
                        .computeIfAbsent(reason(response, node), reason -> new ArrayList<>())
                        .add(node);
            }
        }
        if (nodesOfReason.isEmpty()) {
            return;
        }
        text.append(
                response.getPassedCount() > 0
                        ? "\nWhy the other nodes are not available\n"
                        : isIncomplete(response) ? "\nWhy no node passes\n" : "\nWhy no node is available\n");
        TextTable table = new TextTable(2).right("NODES").left("REASON").left("WHICH");
        nodesOfReason.entrySet().stream()
                .sorted(Comparator.comparing(each -> -each.getValue().size()))
                .limit(MAX_REASONS)
                .forEach(each -> table.row(
                        each.getValue().size(), withFigures(each.getKey(), each.getValue()), names(each.getValue())));
        table.appendTo(text);
        if (nodesOfReason.size() > MAX_REASONS) {
            text.append("  and ").append(nodesOfReason.size() - MAX_REASONS).append(" more reasons\n");
        }
    }

    /** For nodes that lack resources, adds the figures of the first node. */
    private static String withFigures(String reason, List<NodeExplanation> nodes) {
        NodeExplanation first = nodes.get(0);
        if (first.getReason() != NodeReason.NODE_REASON_RESOURCES) {
            return reason;
        }
        boolean alike =
                nodes.stream().map(NodeExplanation::getDetail).distinct().count() == 1;
        return alike ? first.getDetail() : reason + "; on " + first.getName() + " " + first.getDetail();
    }

    /** Why the node is excluded, without its domain: nodes with the same constraint and the same count share a line. */
    private static String reason(ExplainResponse response, NodeExplanation node) {
        if (node.getReason() == NodeReason.NODE_REASON_RESOURCES) {
            return node.getMessage();
        }
        Optional<ConstraintExplanation> of = response.getConstraintsList().stream()
                .filter(constraint -> node.hasConstraintIndex() && constraint.getIndex() == node.getConstraintIndex())
                .findFirst();
        if (of.isEmpty() || node.getCode() != NodeCode.NODE_CODE_UNSCHEDULABLE) {
            return node.getDetail();
        }
        ConstraintExplanation constraint = of.get();
        long pods = node.getDomains(response.getConstraintsList().indexOf(constraint))
                .getMatchingPodCount();
        int own = constraint.getSelfMatch() ? 1 : 0;
        return "[" + constraint.getIndex() + "] " + pods + " + " + own + " - " + constraint.getGlobalMinimum() + " = "
                + (pods + own - constraint.getGlobalMinimum()) + " > maxSkew "
                + constraint.getConstraint().getMaxSkew();
    }

    private static String names(List<NodeExplanation> nodes) {
        int shown = nodes.size() <= MAX_NAMES + 1 ? nodes.size() : MAX_NAMES;
        String names = nodes.stream().limit(shown).map(NodeExplanation::getName).collect(Collectors.joining(", "));
        return shown == nodes.size() ? names : names + " and " + (nodes.size() - shown) + " more";
    }

    /** Whether the constraint can exclude nodes. */
    public static boolean isHard(ConstraintExplanation constraint) {
        return constraint.getConstraint().getWhenUnsatisfiable().equals("DoNotSchedule");
    }
}
