package io.evenkeel.engine.rebalance;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/**
 * The constraints that moves of a chain change. Those that were satisfied before the chain must be satisfied again when
 * it ends.
 *
 * <pre>
 *   changed     the numbers of the constraints that moves of the chain have changed
 *   satisfied   those of them that were satisfied before; the one that was last found to be violated is the first
 * </pre>
 */
final class ChainConstraints {
    private final BitSet changed = new BitSet();
    private final List<PlannedSpread> satisfied = new ArrayList<>();

    /** Records that a move changes a constraint, which was satisfied just before or not. */
    void add(PlannedSpread spread, boolean wasSatisfied) {
        if (!changed.get(spread.number)) {
            changed.set(spread.number);
            if (wasSatisfied) {
                satisfied.add(spread);
            }
        }
    }

    /** Whether all that were satisfied before the chain are satisfied now. */
    boolean areSatisfied() {
        for (int i = 0; i < satisfied.size(); i++) {
            if (!satisfied.get(i).isSatisfiedNow()) {
                Collections.swap(satisfied, 0, i);
                return false;
            }
        }
        return true;
    }

    /** Whether a move of the chain is one of those that violate a constraint that was satisfied before. */
    boolean areViolatedBy(ReplicaGroup group, int from, int to) {
        for (PlannedSpread spread : satisfied) {
            if (!spread.isSatisfiedNow() && spread.isExceededBy(from, to) && group.spreads.contains(spread)) {
                return true;
            }
        }
        return false;
    }

    void clear() {
        changed.clear();
        satisfied.clear();
    }
}
