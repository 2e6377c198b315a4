package io.evenkeel.eviction;

import org.jspecify.annotations.Nullable;

/**
 * A pod that was evicted.
 *
 * @param pod as {@code shop/web-1}
 * @param predicted the node on which the plan expected the replacement
 * @param replacement the name of the pod that came instead; null if there is none yet
 * @param node that of the replacement; empty if it is not scheduled
 */
public record Eviction(
        String pod, String from, String predicted, @Nullable String replacement, String node) {
    /** Whether the replacement is on the node that the plan expected. */
    public boolean isAsPredicted() {
        return predicted.equals(node);
    }
}
