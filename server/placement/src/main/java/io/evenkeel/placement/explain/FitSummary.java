package io.evenkeel.placement.explain;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes kube-scheduler's message for a pod that it cannot place ({@code FitError.Error} and
 * {@code ErrNoNodesAvailable}), and a similar one for a pod that it can place.
 */
final class FitSummary {
    private static final String NAME_FIELD = "metadata.name";

    private FitSummary() {}

    /** Returns the message. {@code candidates} must be those of the explanation. */
    static String of(IncomingPod pod, NodeSubset candidates, Explanation explanation) {
        String message = ofKnown(pod, candidates, explanation);
        int unknown = explanation.unknownCandidates().size();
        return unknown == 0 ? message : message + " Unknown candidates: " + unknown + ".";
    }

    private static String ofKnown(IncomingPod pod, NodeSubset candidates, Explanation explanation) {
        int nodes = explanation.verdicts().size();
        int passed = explanation.passed();
        boolean judgesEntry = candidates == NodeSubset.ENTERABLE;
        if (nodes == 0 && judgesEntry) {
            return "no nodes available to schedule pods";
        }
        String available = passed + "/" + nodes + " nodes are available";
        if (passed == nodes) {
            return available + ".";
        }
        Set<String> pinned = judgesEntry && passed == 0 ? pinnedTo(pod) : null;
        if (pinned != null && pinned.isEmpty()) {
            return available + ": pod affinity terms conflict.";
        }
        Map<String, Integer> counts = new TreeMap<>();
        explanation.verdicts().forEach(verdict -> {
            Explanation.Cause cause = verdict.cause();
            if (pinned != null && !pinned.contains(verdict.node())) {
                counts.merge("node(s) didn't satisfy plugin(s) [NodeAffinity]", 1, Integer::sum);
            } else if (cause != null) {
                counts.merge(cause.reason().text(), 1, Integer::sum);
            }
        });
        return counts.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .sorted()
                .collect(Collectors.joining(", ", available + (passed > 0 ? "; the others: " : ": "), "."));
    }

    /**
     * The nodes that the pod's affinity names by {@code metadata.name}; null if the affinity may match other nodes. For
     * such a pod, the {@code PreFilter} of kube-scheduler's NodeAffinity plugin restricts the nodes, and the message
     * differs.
     */
    private static @Nullable Set<String> pinnedTo(IncomingPod pod) {
        List<NodeTerm> terms = pod.affinityTerms();
        if (terms == null || terms.isEmpty()) {
            return null;
        }
        Set<String> pinned = new HashSet<>();
        for (NodeTerm term : terms) {
            Set<String> names = null;
            for (NodeRequirement field : term.matchFields()) {
                if (field.key().equals(NAME_FIELD) && field.operator().equals("In")) {
                    Set<String> values = new HashSet<>(field.values());
                    if (names != null) {
                        values.retainAll(names);
                    }
                    names = values;
                }
            }
            if (names == null) {
                return null;
            }
            pinned.addAll(names);
        }
        return pinned;
    }
}
