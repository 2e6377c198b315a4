package io.evenkeel.engine;

/**
 * How an engine is laid out and bounded.
 *
 * @param wideFrom a topology with more domains than this, nearly one a node, keeps counts as bit planes by node; answers don't depend on it
 * @param tombstones how many deleted UIDs are remembered
 * @param maxPlans how many plans are kept; old ones that were not used lately go first, and with them the groups that nobody else asks for
 * @param maxGroupBytes the memory that groups may take before plans are dropped
 */
public record EngineOptions(int wideFrom, int tombstones, int maxPlans, long maxGroupBytes) {
    public EngineOptions {
        require(wideFrom >= 0, "wideFrom must be at least 0, was " + wideFrom);
        require(tombstones >= 0, "tombstones must be at least 0, was " + tombstones);
        require(maxPlans >= 1, "maxPlans must be at least 1, was " + maxPlans);
        require(maxGroupBytes >= 0, "maxGroupBytes must be at least 0, was " + maxGroupBytes);
    }

    /** 65,536 plans and tombstones, and a quarter of the heap for groups. */
    public static EngineOptions defaults() {
        return new EngineOptions(64, 1 << 16, 1 << 16, Runtime.getRuntime().maxMemory() / 4);
    }

    public EngineOptions withWideFrom(int domains) {
        return new EngineOptions(domains, tombstones, maxPlans, maxGroupBytes);
    }

    public EngineOptions withTombstones(int uids) {
        return new EngineOptions(wideFrom, uids, maxPlans, maxGroupBytes);
    }

    public EngineOptions withMaxPlans(int plans) {
        return new EngineOptions(wideFrom, tombstones, plans, maxGroupBytes);
    }

    public EngineOptions withMaxGroupBytes(long bytes) {
        return new EngineOptions(wideFrom, tombstones, maxPlans, bytes);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
