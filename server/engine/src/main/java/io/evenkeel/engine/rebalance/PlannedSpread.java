package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.index.CountHistogram;
import io.evenkeel.engine.plan.PlannedConstraint;
import java.util.List;

/**
 * A constraint that is to be satisfied, and how the pods that it counts are spread in the plan so far.
 *
 * <pre>
 *   counts   by the number of the domain
 * </pre>
 */
final class PlannedSpread {
    /** Means that a slot is in no domain. */
    private static final int NONE = -1;

    final PlannedConstraint constraint;

    /** From 0, in the order in which constraints were found. */
    final int number;

    private final NumberedDomains domains;
    private final int[] counts;

    /** How many groups have pods that it counts. */
    int groups;

    /** Called under the engine's lock. */
    PlannedSpread(PlannedConstraint constraint, int number, NumberedDomains domains) {
        this.constraint = constraint;
        this.number = number;
        this.domains = domains;
        counts = new int[domains.size()];
        for (int domain = 0; domain < counts.length; domain++) {
            counts[domain] = constraint.count(domains.example(domain));
        }
    }

    /** Whether a constraint of other pods of the namespace is the same one. */
    boolean isOf(PlannedConstraint other) {
        return constraint.group() == other.group()
                && constraint.source().maxSkew() == other.source().maxSkew()
                && constraint.isBelowMinDomains() == other.isBelowMinDomains();
    }

    /** How many eligible domains there are. */
    int domains() {
        return counts.length;
    }

    /** The number of the domain in which a pod on a slot counts, or {@link NumberedDomains#NONE}. */
    int domainOf(int slot) {
        return domains.of(slot);
    }

    /** A copy of the counts by domain. */
    int[] counts() {
        return counts.clone();
    }

    /** The count of the domain of a slot; 0 if the slot is in none. */
    int countOn(int slot) {
        int domain = domains.of(slot);
        return domain == NumberedDomains.NONE ? 0 : counts[domain];
    }

    void shift(int slot, int by) {
        int domain = domains.of(slot);
        if (domain != NumberedDomains.NONE) {
            counts[domain] += by;
        }
    }

    /** By how much the skew exceeds maxSkew; 0 if it does not. */
    int excess() {
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (int count : counts) {
            least = Math.min(least, count);
            most = Math.max(most, count);
        }
        return excess(most, least);
    }

    /** Whether the engine's counts are within maxSkew. Called under its lock, as are the other methods about them. */
    boolean isSatisfiedNow() {
        return constraint.histogram().maximum() - constraint.minimum()
                <= constraint.source().maxSkew();
    }

    /** Whether the engine's counts would be within maxSkew if there were one more pod on a slot. */
    boolean isSatisfiedWith(int slot) {
        if (domains.of(slot) == NumberedDomains.NONE) {
            return isSatisfiedNow();
        }
        int count = constraint.count(slot);
        CountHistogram histogram = constraint.histogram();
        int minimum = constraint.minimum();
        if (count == histogram.minimum() && histogram.domainsAt(count) == 1 && !constraint.isBelowMinDomains()) {
            minimum++;
        }
        return Math.max(histogram.maximum(), count + 1) - minimum
                <= constraint.source().maxSkew();
    }

    /** By how much the engine's counts exceed maxSkew; 0 if they do not. */
    int excessNow() {
        return excess(constraint.histogram().maximum(), constraint.histogram().minimum());
    }

    /** By how much the engine's counts would exceed maxSkew if a pod went from a slot to another one. */
    int excessAfter(int from, int to) {
        int left = domains.of(from);
        int entered = domains.of(to);
        CountHistogram histogram = constraint.histogram();
        int most = histogram.maximum();
        int least = histogram.minimum();
        if (left == entered) {
            return excess(most, least);
        }
        int fewer = left == NumberedDomains.NONE ? NONE : constraint.count(from) - 1;
        int more = entered == NumberedDomains.NONE ? NONE : constraint.count(to) + 1;
        // If no other domain has this count, the next one is that of another domain or its own.
        most -= fewer == most - 1 && histogram.domainsAt(most) == 1 ? 1 : 0;
        least += more == least + 1 && histogram.domainsAt(least) == 1 ? 1 : 0;
        return excess(Math.max(most, more), fewer == NONE ? least : Math.min(least, fewer));
    }

    private int excess(int most, int least) {
        int minimum = constraint.isBelowMinDomains() ? 0 : least;
        return Math.max(0, most - minimum - constraint.source().maxSkew());
    }

    /** Whether the engine's counts exceed maxSkew because of a pod that went from a slot to another one. */
    boolean isExceededBy(int from, int to) {
        int left = domains.of(from);
        int entered = domains.of(to);
        int maxSkew = constraint.source().maxSkew();
        boolean isTooMany = entered != NumberedDomains.NONE && constraint.count(to) - constraint.minimum() > maxSkew;
        boolean isTooFew = left != NumberedDomains.NONE
                && !constraint.isBelowMinDomains()
                && constraint.histogram().maximum() - constraint.count(from) > maxSkew;
        return left != entered && (isTooMany || isTooFew);
    }

    /** By how much constraints exceed maxSkew, in all. */
    static int excess(List<PlannedSpread> spreads) {
        int excess = 0;
        for (PlannedSpread spread : spreads) {
            excess += spread.excess();
        }
        return excess;
    }
}
