package io.evenkeel.placement.answer;

import io.evenkeel.engine.model.Reason;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes kube-scheduler's message for a pod that it cannot place ({@code FitError.Error} and
 * {@code ErrNoNodesAvailable}), and a similar one for a pod that it can place. If rules are not judged, it says so
 * instead of calling nodes available.
 */
public final class FitSummary {
    private FitSummary() {}

    /**
     * Returns the message.
     *
     * @param passed how many of the nodes are available
     * @param excluded how many of the nodes each message excludes
     * @param unjudged what the rules are called that can exclude nodes for the pod and are not judged
     */
    public static String of(int passed, int nodes, Map<String, Integer> excluded, List<String> unjudged) {
        if (nodes == 0) {
            return "no nodes available to schedule pods";
        }
        String available = unjudged.isEmpty()
                ? passed + "/" + nodes + " nodes are available"
                : passed + "/" + nodes + " nodes pass what is judged; not judged: " + String.join(", ", unjudged);
        String others = !unjudged.isEmpty() ? "; excluded: " : passed > 0 ? "; the others: " : ": ";
        if (passed == nodes) {
            return available + ".";
        }
        if (excluded.containsKey(Reason.NODE_NAMES_CONFLICT.text())) {
            return available + others + Reason.NODE_NAMES_CONFLICT.text() + ".";
        }
        return excluded.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .sorted()
                .collect(Collectors.joining(", ", available + others, "."));
    }
}
