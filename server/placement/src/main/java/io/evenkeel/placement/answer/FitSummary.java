package io.evenkeel.placement.answer;

import io.evenkeel.engine.model.Reason;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes kube-scheduler's message for a pod that it cannot place ({@code FitError.Error} and
 * {@code ErrNoNodesAvailable}), and a similar one for a pod that it can place.
 */
public final class FitSummary {
    private FitSummary() {}

    /**
     * Returns the message.
     *
     * @param passed how many of the nodes are available
     * @param excluded how many of the nodes each message excludes
     */
    public static String of(int passed, int nodes, Map<String, Integer> excluded) {
        if (nodes == 0) {
            return "no nodes available to schedule pods";
        }
        String available = passed + "/" + nodes + " nodes are available";
        if (passed == nodes) {
            return available + ".";
        }
        if (excluded.containsKey(Reason.NODE_NAMES_CONFLICT.text())) {
            return available + ": " + Reason.NODE_NAMES_CONFLICT.text() + ".";
        }
        return excluded.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .sorted()
                .collect(Collectors.joining(", ", available + (passed > 0 ? "; the others: " : ": "), "."));
    }
}
