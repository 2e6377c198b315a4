package io.evenkeel.eviction;

import java.util.List;

/**
 * A batch of evictions.
 *
 * @param number starts at 1
 */
public record EvictedBatch(int number, List<Eviction> evictions) {}
