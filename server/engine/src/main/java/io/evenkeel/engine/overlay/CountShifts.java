package io.evenkeel.engine.overlay;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.plan.PlanFork;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.BitSet;

/**
 * What an overlay changes in the counts of one plan.
 *
 * <pre>
 *   matched[i * groups + g]   whether the plan's group g counts the pod of entry i, of those below done
 * </pre>
 */
public final class CountShifts {
    private final OverlaidPods pods;
    private final SpreadGroup[] groups;
    private final BitSet matched = new BitSet();
    private int done;

    public CountShifts(OverlaidPods pods, PodPlan plan) {
        this.pods = pods;
        this.groups = plan.groups();
    }

    /**
     * A plan as the overlay makes it: a copy with its own counts, to be used in the same hold of the lock, or the plan
     * itself where the overlay changes none of its counts.
     *
     * @param pods the overlay, looked up, and still as the cluster has it
     */
    public static PodPlan over(PodPlan plan, OverlaidPods pods, ClusterView cluster) {
        CountShifts shifts = new CountShifts(pods, plan);
        shifts.match(cluster);
        if (shifts.matched.isEmpty()) {
            return plan;
        }
        PodPlan fork = PlanFork.overOwnCounts(plan);
        shifts.apply(fork, false);
        return fork;
    }

    /** Matches the pods that were looked up since the last call. To be called in the hold in which these were found. */
    public void match(ClusterView cluster) {
        for (int end = pods.entries(); done < end; done++) {
            for (int g = 0; g < groups.length; g++) {
                if (pods.isMatched(cluster, done, groups[g])) {
                    matched.set(done * groups.length + g);
                }
            }
        }
    }

    /**
     * Shifts the counts in a copy of the plan. Needs no lock where the copy needs none.
     *
     * @param back whether to undo this
     */
    public void apply(PodPlan fork, boolean back) {
        SpreadGroup[] copies = fork.groups();
        for (int at = matched.nextSetBit(0); at >= 0; at = matched.nextSetBit(at + 1)) {
            int entry = at / copies.length;
            int slot = pods.slot(entry);
            if (slot != NodeTable.NONE) {
                copies[at % copies.length].shift(slot, pods.isOn(entry) != back);
            }
        }
    }
}
