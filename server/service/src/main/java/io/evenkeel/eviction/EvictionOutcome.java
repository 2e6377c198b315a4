package io.evenkeel.eviction;

import io.evenkeel.v1.RebalanceResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run of evictions has done.
 *
 * @param last the last plan; null if pods may have been evicted since it was made
 * @param stop why the run ended before the last plan's moves; null if it has no moves
 * @param failure the failure that is the reason; null if there was none
 */
public record EvictionOutcome(
        List<EvictedBatch> batches,
        @Nullable RebalanceResponse last,
        @Nullable String stop,
        @Nullable IOException failure) {
    /** How many pods were evicted. */
    public int evicted() {
        return batches.stream().mapToInt(batch -> batch.evictions().size()).sum();
    }

    /** How many replacements are on the node that the plan expected. */
    public long asPredicted() {
        return batches.stream()
                .flatMap(batch -> batch.evictions().stream())
                .filter(Eviction::isAsPredicted)
                .count();
    }
}
