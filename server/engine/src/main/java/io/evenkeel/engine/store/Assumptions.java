package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.Uid;
import java.util.function.BooleanSupplier;
import org.agrona.collections.IntArrayList;

/**
 * Counts pods on the nodes on which a scheduler has placed them, until an event shows the pod or the assumption
 * expires.
 */
public final class Assumptions {
    private final HostTable hosts;
    private final PodTable pods;
    private final AssumedPods assumedPods;
    private final StoredPods stored;

    /** Pods whose assumptions were found to be expired, from parts below {@link #partsExpired}. */
    private final IntArrayList due = new IntArrayList();

    private int partsExpired;

    Assumptions(ClusterStore store, StoredPods stored) {
        this.hosts = store.hosts;
        this.pods = store.pods;
        this.assumedPods = store.assumedPods;
        this.stored = stored;
    }

    /**
     * Counts a pod on a node before the watch shows it bound.
     *
     * @param until the time on the engine's clock, or {@link AssumedPods#FOR_EVER}
     */
    public Assumption assume(PodRecord pod, String node, long until) {
        int id = pods.locate(pod.uid);
        int host;
        if (id != PodTable.NONE && !pods.isLive(id)) {
            return Assumption.DELETED;
        }
        if (id == PodTable.NONE) {
            host = hosts.acquire(node);
            id = stored.add(PodTable.NONE, pod, host);
            pods.set(id, PodTable.UNSEEN, true);
        } else if (pods.host(id) != PodTable.NONE && !pods.is(id, PodTable.ASSUMED)) {
            return hosts.name(pods.host(id)).equals(node) ? Assumption.ALREADY_BOUND : Assumption.BOUND_TO_ANOTHER_NODE;
        } else {
            host = hosts.acquire(node);
            if (pods.is(id, PodTable.UNSEEN)) {
                stored.move(id, pod, host);
            } else {
                stored.unplace(id, host);
            }
        }
        pods.set(id, PodTable.ASSUMED, true);
        assumedPods.put(id, until);
        boolean unseen = pods.is(id, PodTable.UNSEEN);
        stored.place(
                id,
                host,
                unseen ? pod.terminating : pods.is(id, PodTable.TERMINATING),
                unseen ? pod.finished : pods.is(id, PodTable.FINISHED));
        if (!pods.counts(id)) {
            return Assumption.NOT_COUNTED;
        }
        return hosts.slot(host) == NodeSlots.NONE ? Assumption.NODE_UNKNOWN : Assumption.COUNTED;
    }

    /** Reverts an assumption; returns whether there was one. */
    public boolean forget(Uid uid) {
        int id = pods.find(uid);
        if (id == PodTable.NONE || !pods.is(id, PodTable.ASSUMED)) {
            return false;
        }
        forget(id);
        return true;
    }

    private void forget(int id) {
        if (pods.is(id, PodTable.UNSEEN)) {
            stored.remove(id);
            pods.free(id);
        } else {
            stored.unplace(id, PodTable.NONE);
            stored.endAssumption(id);
        }
    }

    /** Expires assumptions whose time has passed, until the time is up or all were checked; returns how many. */
    public int expire(long now, BooleanSupplier isTimeUp) {
        int expired = 0;
        do {
            if (due.isEmpty()) {
                assumedPods.forEachDue(partsExpired, now, due::addInt);
                partsExpired = (partsExpired + 1) % AssumedPods.PARTS;
            } else {
                expired += expireNext(now) ? 1 : 0;
            }
        } while (isExpiring() && !isTimeUp.getAsBoolean());
        return expired;
    }

    /** Whether assumptions are left to check. */
    boolean isExpiring() {
        return partsExpired > 0 || !due.isEmpty();
    }

    /** Checks again, because since the pod was found it may have been forgotten, bound, or assumed again. */
    private boolean expireNext(long now) {
        int pod = due.removeAt(due.size() - 1);
        boolean expires = assumedPods.isDue(pod, now);
        if (expires) {
            forget(pod);
        }
        return expires;
    }
}
