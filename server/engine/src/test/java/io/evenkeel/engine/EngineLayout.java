package io.evenkeel.engine;

import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.model.EngineOptions;

/**
 * Settings of the engine with which small clusters use each of its data structures. Answers must not depend on them.
 */
public enum EngineLayout {
    DEFAULT(64, 1_000),
    /** Bit planes by node for every topology. */
    WIDE(0, 1_000),
    /** A count per domain for every topology. */
    NARROW(Integer.MAX_VALUE, 1_000),
    /**
     * Topologies that switch between both as nodes are added and removed; plans and groups that are dropped as soon as
     * others are asked for; slices that are as small as possible.
     */
    TURNING(3, 2);

    /** The time is up as soon as anything is done. */
    public static final Slices MIN_SLICES = new Slices(() -> () -> true, 1);

    private final int narrowUpTo;
    private final int maxPlans;

    EngineLayout(int narrowUpTo, int maxPlans) {
        this.narrowUpTo = narrowUpTo;
        this.maxPlans = maxPlans;
    }

    EngineOptions options() {
        return EngineOptions.defaults().withNarrowUpTo(narrowUpTo).withMaxPlans(maxPlans);
    }

    Slices slices() {
        return this == TURNING ? MIN_SLICES : Slices.STANDARD;
    }

    EngineSubject subject() {
        return new EngineSubject(options(), slices(), false);
    }

    /** A subject that is validated after each step, not only at the end. */
    public EngineSubject validatingSubject() {
        return new EngineSubject(options(), slices(), true);
    }
}
