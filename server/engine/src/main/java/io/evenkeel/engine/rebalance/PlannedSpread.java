package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.plan.PlannedConstraint;
import java.util.BitSet;
import java.util.List;

/**
 * A constraint that is to be satisfied, and how the pods that it counts are spread in the plan so far.
 *
 * <pre>
 *   counts     by domain id of the topology
 *   eligible   the ids of the eligible domains
 * </pre>
 */
final class PlannedSpread {
    final PlannedConstraint constraint;

    /** From 0, in the order in which constraints were found. */
    final int number;

    private final int[] counts;
    private final int[] eligible;

    /** How many groups have pods that it counts. */
    int groups;

    /** Called under the engine's lock. */
    PlannedSpread(PlannedConstraint constraint, int number) {
        this.constraint = constraint;
        this.number = number;
        Topology topology = constraint.domains().topology;
        counts = new int[topology.domainLimit()];
        boolean[] isEligible = new boolean[counts.length];
        int domains = 0;
        BitSet slots = BitSet.valueOf(constraint.domains().eligibility.slots());
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            int domain = topology.domainOf(slot);
            if (!isEligible[domain]) {
                isEligible[domain] = true;
                domains++;
                counts[domain] = constraint.count(slot);
            }
        }
        eligible = new int[domains];
        for (int domain = 0; domain < isEligible.length; domain++) {
            if (isEligible[domain]) {
                eligible[--domains] = domain;
            }
        }
    }

    /** The domain in which a pod on a slot counts, or NONE. */
    int domainOf(int slot) {
        return constraint.domains().eligibility.holds(slot)
                ? constraint.domains().topology.domainOf(slot)
                : Topology.NONE;
    }

    /** The ids of the eligible domains. The array must not be changed. */
    int[] eligible() {
        return eligible;
    }

    int count(int domain) {
        return counts[domain];
    }

    /** The count of the domain of a slot; 0 if the slot is in none. */
    int countOn(int slot) {
        int domain = domainOf(slot);
        return domain == Topology.NONE ? 0 : counts[domain];
    }

    void shift(int slot, int by) {
        int domain = domainOf(slot);
        if (domain != Topology.NONE) {
            counts[domain] += by;
        }
    }

    /** By how much the skew exceeds maxSkew; 0 if it does not. */
    int excess() {
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (int domain : eligible) {
            least = Math.min(least, counts[domain]);
            most = Math.max(most, counts[domain]);
        }
        int minimum = constraint.isBelowMinDomains() ? 0 : least;
        return Math.max(0, most - minimum - constraint.source().maxSkew());
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
