package io.evenkeel.engine.overlay;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.BitSet;
import java.util.function.BooleanSupplier;

/**
 * What an overlay changes in the counts of one plan.
 *
 * <pre>
 *   matched[i * groups + g]   whether the plan's group g counts the pod of entry i; for i below done
 * </pre>
 */
public final class CountShifts {
    /** A few tens of microseconds of work. */
    private static final int MATCHED_AT_ONCE = 512;

    private final OverlaidPods pods;
    private final SpreadGroup[] groups;
    private final BitSet matched = new BitSet();
    private int done;

    public CountShifts(OverlaidPods pods, PodPlan plan) {
        this.pods = pods;
        this.groups = plan.groups();
    }

    /** Matches the pods that were looked up since the last call. Call it in the hold in which these were found. */
    public void match(ClusterView cluster) {
        while (done < pods.entries()) {
            matchNext(cluster);
        }
    }

    /**
     * Matches more of the pods, until the time is up. All pods must be looked up, and still be as they were found.
     *
     * @return whether all are matched
     */
    boolean match(ClusterView cluster, BooleanSupplier isTimeUp) {
        long from = done;
        while (done < pods.entries()) {
            matchNext(cluster);
            if ((done - from) * groups.length >= MATCHED_AT_ONCE) {
                if (isTimeUp.getAsBoolean()) {
                    return done == pods.entries();
                }
                from = done;
            }
        }
        return true;
    }

    private void matchNext(ClusterView cluster) {
        for (int g = 0; g < groups.length; g++) {
            if (pods.isMatched(cluster, done, groups[g])) {
                matched.set(done * groups.length + g);
            }
        }
        done++;
    }

    /** Whether no pod changes any count. */
    boolean isEmpty() {
        return matched.isEmpty();
    }

    /**
     * Shifts the counts in a copy of the plan. Needs no lock if the copy needs none.
     *
     * @param back whether to undo this
     */
    public void apply(PodPlan fork, boolean back) {
        SpreadGroup[] copies = fork.groups();
        for (int at = matched.nextSetBit(0); at >= 0; at = matched.nextSetBit(at + 1)) {
            int entry = at / copies.length;
            int slot = pods.slot(entry);
            if (slot != NodeSlots.NONE) {
                copies[at % copies.length].shift(slot, pods.isOn(entry) != back);
            }
        }
    }
}
