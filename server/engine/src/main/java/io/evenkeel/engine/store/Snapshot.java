package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.cluster.OwnerTable;
import io.evenkeel.engine.cluster.PodTable;
import java.util.Iterator;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Removes the objects that a complete list of the cluster has not named.
 *
 * <pre>
 *   begin  ─►  objects are named as they are applied  ─►  sweep, sweep, …     pods, then owners, then nodes
 * </pre>
 */
public final class Snapshot {
    private static final int ROWS_A_LOOK_AT_THE_CLOCK = 16;

    private final OwnerTable owners;
    private final NodeTable nodes;
    private final PodTable pods;
    private final NamedObjects named;
    private final StoredPods stored;
    private final NodeEvents nodeEvents;

    /** Rows of pods below this were checked. */
    private int sweptTo;

    /** Owners that were not checked yet; null until all pods were checked. */
    private @Nullable Iterator<String> ownersLeft;

    /** How many slots of nodes were not checked yet; nodes come last. */
    private int slotsLeft;

    Snapshot(ClusterStore store, StoredPods stored, NodeEvents nodeEvents) {
        owners = store.owners;
        nodes = store.nodes;
        pods = store.pods;
        named = store.named;
        this.stored = stored;
        this.nodeEvents = nodeEvents;
    }

    /** Begins a snapshot: objects that are named from now on are recorded. */
    public void begin() {
        named.begin();
        sweptTo = 0;
        ownersLeft = null;
    }

    /** Ends the snapshot without removing anything more. */
    public void abandon() {
        named.end();
        ownersLeft = null;
    }

    public boolean isUnderWay() {
        return named.isUnderWay();
    }

    /**
     * Removes objects that were not named since the snapshot began, until the time is up. When all were checked, the
     * snapshot has ended. An object that is named between two calls stays: if it was removed already, its event has
     * added it again.
     *
     * @param isTimeUp whether the rest must be left to the next call
     * @return how many objects it removed
     */
    public int sweep(BooleanSupplier isTimeUp) {
        if (!isUnderWay()) {
            throw new IllegalStateException("no snapshot is under way");
        }
        int removed = sweepPods(isTimeUp);
        while (isUnderWay() && isPastPods()) {
            removed += sweepNext() ? 1 : 0;
            if (isTimeUp.getAsBoolean()) {
                break;
            }
        }
        return removed;
    }

    /** Pods that are known from an assumption alone stay. */
    private int sweepPods(BooleanSupplier isTimeUp) {
        int removed = 0;
        while (!isPastPods()) {
            int pod = sweptTo++;
            boolean looks = sweptTo % ROWS_A_LOOK_AT_THE_CLOCK == 0;
            if (pods.isLive(pod) && !named.hasPod(pod) && !pods.is(pod, PodTable.UNSEEN)) {
                stored.remove(pod);
                pods.free(pod);
                removed++;
                looks = true;
            }
            if (looks && isTimeUp.getAsBoolean()) {
                break;
            }
        }
        return removed;
    }

    /** Whether all pods were checked. Pods that come now are named. */
    private boolean isPastPods() {
        return sweptTo >= pods.limit();
    }

    /** Checks the next owner or node; returns whether it was removed. */
    private boolean sweepNext() {
        if (ownersLeft == null) {
            ownersLeft = owners.uids().iterator();
            slotsLeft = nodes.limit();
        }
        if (ownersLeft.hasNext()) {
            String uid = ownersLeft.next();
            return !named.hasOwner(uid) && owners.remove(uid);
        }
        if (slotsLeft == 0) {
            abandon();
            return false;
        }
        int slot = --slotsLeft;
        boolean goes = nodes.isKnown(slot) && !named.hasNode(nodes.uid(slot));
        if (goes) {
            nodeEvents.remove(slot);
        }
        return goes;
    }
}
