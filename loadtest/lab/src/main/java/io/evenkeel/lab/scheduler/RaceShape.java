package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.cluster.Spread;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The constraints of a turn's pods. */
enum RaceShape {
    NONE("none", Spread.DEFAULTS_WITHOUT_OWNER),
    HARD("hard zone + hostname", Spread.HARD_ZONE_HARD_HOSTNAME),
    SOFT("soft zone + hostname", Spread.SOFT_ZONE_SOFT_HOSTNAME),
    DEFAULTS("defaults, owner", Spread.DEFAULTS_WITH_OWNER),
    FIVE("five, affinity, taints", Spread.FIVE_CONSTRAINTS),

    /** All of them in turn, while pods of their workloads are deleted and some pods need preemption. */
    MIX("mix with preemption", null),

    /** The same, and nodes are added, deleted and changed, and Deployments roll. */
    CHANGE("mix under change", null);

    private final String words;
    private final @Nullable Spread one;

    RaceShape(String words, @Nullable Spread one) {
        this.words = words;
        this.one = one;
    }

    String words() {
        return words;
    }

    /** The shapes of its pods, in turn. */
    List<Spread> shapes() {
        return one == null ? List.of(Spread.values()) : List.of(one);
    }

    /** Whether pods are deleted while others are bound. */
    boolean hasChurn() {
        return this == MIX || this == CHANGE;
    }

    /** Its name for options. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
