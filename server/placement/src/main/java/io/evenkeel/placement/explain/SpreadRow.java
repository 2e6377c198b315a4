package io.evenkeel.placement.explain;

import io.evenkeel.engine.skew.ConstraintCounts;
import io.evenkeel.engine.skew.WorkloadCounts;
import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.v1.WorkloadSpread;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A workload in a {@link SpreadTable}: what decides on its place, and its message once that was needed. Thread-safe.
 */
final class SpreadRow {
    static final Comparator<SpreadRow> BY_NAME = (one, other) -> {
        int order = one.name.namespace().compareTo(other.name.namespace());
        order = order == 0 ? one.name.kind().compareTo(other.name.kind()) : order;
        return order == 0 ? one.name.name().compareTo(other.name.name()) : order;
    };

    static final Comparator<SpreadRow> WORST_FIRST = (one, other) -> {
        int order = Boolean.compare(other.hardViolated, one.hardViolated);
        order = order == 0 ? Boolean.compare(other.softViolated, one.softViolated) : order;
        order = order == 0 ? Long.compare(other.skew, one.skew) : order;
        return order == 0 ? BY_NAME.compare(one, other) : order;
    };

    final WorkloadName name;
    final boolean hardViolated;
    final boolean softViolated;
    final long skew;

    /** Null if only the place is known. */
    private final @Nullable WorkloadCounts counts;

    private volatile @Nullable WorkloadSpread message;

    SpreadRow(WorkloadCounts counts) {
        this.counts = counts;
        name = counts.name();
        boolean hard = false;
        boolean soft = false;
        int highest = 0;
        for (WorkloadCounts.Template template : counts.templates()) {
            for (ConstraintCounts constraint : template.constraints()) {
                if (constraint.isViolated()) {
                    boolean isHard = Objects.requireNonNull(constraint.source()).hard();
                    hard |= isHard;
                    soft |= !isHard;
                }
                highest = Math.max(highest, constraint.skew());
            }
        }
        hardViolated = hard;
        softViolated = soft;
        skew = highest;
    }

    /** The place of a workload. */
    SpreadRow(WorkloadSpread place) {
        counts = null;
        name = PodOwner.named(place.getWorkload());
        hardViolated = place.getHardViolated();
        softViolated = place.getSoftViolated();
        skew = place.getSkew();
    }

    boolean isViolated() {
        return hardViolated || softViolated;
    }

    /** Everything about a workload of a table. */
    WorkloadCounts counts() {
        return Objects.requireNonNull(counts);
    }

    WorkloadSpread message() {
        WorkloadSpread made = message;
        if (made == null) {
            made = SpreadWriter.message(counts(), hardViolated, softViolated, skew);
            message = made;
        }
        return made;
    }
}
