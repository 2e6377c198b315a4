package io.evenkeel.engine.model;

/**
 * The settings of an engine: its layout and its bounds on memory.
 *
 * @param narrowUpTo a topology with more domains than this, and nearly one for each node, keeps its counts as bit
 *     planes by node; this does not change any answer
 * @param tombstones how many deleted UIDs are remembered
 * @param maxPlans how many plans are kept; plans that were not used for a long time are dropped first, together with
 *     the groups that no other plan uses
 * @param maxPlanBytes roughly how many bytes plans may take before some are dropped, including the selectors, node
 *     conditions, topologies and counts that they use
 */
public record EngineOptions(int narrowUpTo, int tombstones, int maxPlans, long maxPlanBytes) {
    public EngineOptions {
        require(narrowUpTo >= 0, "narrowUpTo must be at least 0, was " + narrowUpTo);
        require(tombstones >= 0, "tombstones must be at least 0, was " + tombstones);
        require(maxPlans >= 1, "maxPlans must be at least 1, was " + maxPlans);
        require(maxPlanBytes >= 0, "maxPlanBytes must be at least 0, was " + maxPlanBytes);
    }

    /** Up to 65,536 plans and as many tombstones, and a quarter of the heap for plans and the parts that they use. */
    public static EngineOptions defaults() {
        return new EngineOptions(64, 1 << 16, 1 << 16, Runtime.getRuntime().maxMemory() / 4);
    }

    public EngineOptions withNarrowUpTo(int domains) {
        return new EngineOptions(domains, tombstones, maxPlans, maxPlanBytes);
    }

    public EngineOptions withTombstones(int uids) {
        return new EngineOptions(narrowUpTo, uids, maxPlans, maxPlanBytes);
    }

    public EngineOptions withMaxPlans(int plans) {
        return new EngineOptions(narrowUpTo, tombstones, plans, maxPlanBytes);
    }

    public EngineOptions withMaxPlanBytes(long bytes) {
        return new EngineOptions(narrowUpTo, tombstones, maxPlans, bytes);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
