package io.evenkeel.engine.rebalance;

import java.util.BitSet;
import java.util.List;

/**
 * The constraints that the moves of a group change and must not violate once they are satisfied: those that the whole
 * plan satisfies. Used under the engine's lock.
 */
final class KeptConstraints {
    private final PlannedSpread[] spreads;

    /** Whether each was satisfied before the move that is being made. */
    private final boolean[] wasSatisfied;

    /**
     * @param counting the constraints that count the pods of the group
     * @param kept the numbers of those that the plan satisfies
     */
    KeptConstraints(List<PlannedSpread> counting, BitSet kept) {
        spreads = counting.stream().filter(spread -> kept.get(spread.number)).toArray(PlannedSpread[]::new);
        wasSatisfied = new boolean[spreads.length];
    }

    boolean contain(PlannedSpread spread) {
        for (PlannedSpread each : spreads) {
            if (each == spread) {
                return true;
            }
        }
        return false;
    }

    /** Must be called before each move. */
    void noteSatisfied() {
        for (int i = 0; i < spreads.length; i++) {
            wasSatisfied[i] = spreads[i].isSatisfiedNow();
        }
    }

    /** Whether one becomes violated if the pod, which has left its node, enters another one. */
    boolean areViolatedAt(int to) {
        for (int i = 0; i < spreads.length; i++) {
            if (wasSatisfied[i] && !spreads[i].isSatisfiedWith(to)) {
                return true;
            }
        }
        return false;
    }

    /** Adds those of the move that was made. */
    void addTo(ChainConstraints chain) {
        for (int i = 0; i < spreads.length; i++) {
            chain.add(spreads[i], wasSatisfied[i]);
        }
    }
}
