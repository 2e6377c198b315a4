package io.evenkeel.engine.model;

/**
 * How an engine is laid out and bounded.
 *
 * @param wideFrom a topology with more domains than this, nearly one a node, keeps counts as bit planes by node;
 *     answers don't depend on it
 * @param tombstones how many deleted UIDs are remembered
 * @param maxPlans how many plans are kept; old ones that were not used lately go first, and with them the groups that
 *     nobody else asks for
 * @param maxPlanBytes the memory that plans may take, with the selectors, node conditions, topologies and counts that
 *     they rest on, before some are dropped; about
 */
public record EngineOptions(int wideFrom, int tombstones, int maxPlans, long maxPlanBytes) {
    public EngineOptions {
        require(wideFrom >= 0, "wideFrom must be at least 0, was " + wideFrom);
        require(tombstones >= 0, "tombstones must be at least 0, was " + tombstones);
        require(maxPlans >= 1, "maxPlans must be at least 1, was " + maxPlans);
        require(maxPlanBytes >= 0, "maxPlanBytes must be at least 0, was " + maxPlanBytes);
    }

    /** 65,536 plans and tombstones, and a quarter of the heap for plans and what they rest on. */
    public static EngineOptions defaults() {
        return new EngineOptions(64, 1 << 16, 1 << 16, Runtime.getRuntime().maxMemory() / 4);
    }

    public EngineOptions withWideFrom(int domains) {
        return new EngineOptions(domains, tombstones, maxPlans, maxPlanBytes);
    }

    public EngineOptions withTombstones(int uids) {
        return new EngineOptions(wideFrom, uids, maxPlans, maxPlanBytes);
    }

    public EngineOptions withMaxPlans(int plans) {
        return new EngineOptions(wideFrom, tombstones, plans, maxPlanBytes);
    }

    public EngineOptions withMaxPlanBytes(long bytes) {
        return new EngineOptions(wideFrom, tombstones, maxPlans, bytes);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
