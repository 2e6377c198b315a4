package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.ChangedPods;
import io.evenkeel.engine.cluster.DeletedPods;
import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.cluster.PodColumns;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.ResourceVersions;
import io.evenkeel.engine.model.Uid;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The pods as they were told, each with its class and host; tells the index what counts where. Taking in an event of a
 * kind seen before allocates nothing.
 *
 * <p>Each change answers whether it changed anything that an answer or a status could show.
 */
public final class PodStore {
    /** Never expires. */
    public static final long FOR_EVER = Long.MAX_VALUE;

    private static final int ROWS_A_LOOK_AT_THE_CLOCK = 16;

    private final Namespaces namespaces;
    private final HostTable hosts;
    private final LabelClasses classes;
    private final PodTable pods;
    private final PodList podsOnHost;
    private final PodList podsInClass;
    private final PodColumns columns;
    private final ChangedPods changed;
    private final DeletedPods deletedPods;
    private final SpreadIndex index;

    private final AssumedPods assumedPods = new AssumedPods();

    /** Pods whose assumptions were found expired, in a part below {@link #partsExpired}. */
    private final IntArrayList due = new IntArrayList();

    private int partsExpired;

    private @Nullable BitSet named;
    private int sweptTo;
    private int counted;
    private int onUnknownNodes;

    PodStore(ClusterStore store) {
        this.namespaces = store.namespaces;
        this.hosts = store.hosts;
        this.classes = store.classes;
        this.pods = store.pods;
        this.podsOnHost = store.podsOnHost;
        this.podsInClass = store.podsInClass;
        this.columns = store.podColumns;
        this.changed = store.changedPods;
        this.index = store.index;
        this.deletedPods = store.deletedPods;
    }

    /** Pods that count on a node. */
    int counted() {
        return counted;
    }

    /** Pods on a host whose node is not known. */
    int onUnknownNodes() {
        return onUnknownNodes;
    }

    public int assumed() {
        return assumedPods.size();
    }

    /** The pods of a UID, or of a namespace and name. */
    List<Integer> find(PodKey key) {
        List<Integer> found = new ArrayList<>();
        if (!key.uid().isEmpty()) {
            int pod = pods.find(Uid.of(key.uid()));
            if (pod != PodTable.NONE) {
                found.add(pod);
            }
            return found;
        }
        Namespace namespace = namespaces.find(key.namespace());
        if (namespace != null) {
            pods.findByName(namespace, key.name().getBytes(StandardCharsets.UTF_8), found);
        }
        return found;
    }

    /** The slot that a pod counts on, or NONE. */
    int slotCountedOn(int pod) {
        int host = pods.host(pod);
        return host == PodTable.NONE || !pods.counts(pod) ? NodeTable.NONE : hosts.slot(host);
    }

    /** The pods of a host begin to count on its node, or no longer do; the index has been told. */
    void hostCounts(int host, boolean in) {
        for (int pod = podsOnHost.first(host); pod != PodList.NONE; pod = podsOnHost.next(pod)) {
            onUnknownNodes += in ? -1 : 1;
            if (pods.counts(pod)) {
                counted += in ? 1 : -1;
            }
        }
    }

    public boolean apply(Change change, PodRecord pod) {
        int row = pods.locate(pod.uid);
        boolean live = row != PodTable.NONE && pods.isLive(row);
        if (change == Change.DELETED) {
            return delete(row, live, pod);
        }
        if (!live) {
            if (row != PodTable.NONE && !ResourceVersions.mayReturn(change, pods.version(row), pod.resourceVersion)) {
                return false;
            }
            int host = hostOf(pod);
            int id = add(row, pod, host);
            tellVersion(id, pod);
            place(id, host, pod.terminating, pod.finished);
            name(id);
            return true;
        }
        name(row);
        if (!pods.is(row, PodTable.UNSEEN)
                && ResourceVersions.isStale(change, pods.version(row), pod.resourceVersion)) {
            return false;
        }
        return update(row, pod);
    }

    private boolean delete(int row, boolean live, PodRecord pod) {
        if (live) {
            remove(row);
            deletedPods.remember(row, ResourceVersions.newest(pods.version(row), pod.resourceVersion));
        } else if (row != PodTable.NONE) {
            deletedPods.rememberAgain(row, pod.resourceVersion);
        } else {
            rememberUnknown(pod);
        }
        return live;
    }

    private void rememberUnknown(PodRecord pod) {
        int row;
        try {
            row = pods.addRow(pod.uid);
        } catch (CapacityException full) {
            // Nothing was there to delete. There is no room to remember that: a late event may bring the pod.
            return;
        }
        deletedPods.remember(row, pod.resourceVersion);
    }

    private void name(int pod) {
        if (named != null) {
            named.set(pod);
        }
    }

    /**
     * Adds a pod, in the row that its UID has since its deletion where there is one.
     *
     * @param host that was acquired for it, or NONE; where the pod has no room it is given back
     */
    private int add(int deleted, PodRecord pod, int host) {
        int labelClass = LabelClasses.NONE;
        int name = PodTable.NONE;
        int id = deleted;
        try {
            labelClass = classOf(pod);
            name = pods.holdName(pod);
            if (deleted == PodTable.NONE) {
                id = pods.addRow(pod.uid);
            }
        } catch (CapacityException full) {
            giveBack(host, labelClass, name);
            throw full;
        }
        if (deleted != PodTable.NONE) {
            deletedPods.forget(deleted);
        }
        pods.fill(id, pod, labelClass, name);
        changed.note(id);
        podsInClass.add(labelClass, id);
        return id;
    }

    /** Lets go of what was acquired for a pod that has no room; each may be NONE. */
    private void giveBack(int host, int labelClass, int name) {
        if (name != PodTable.NONE) {
            pods.letGoName(name);
        }
        if (labelClass != LabelClasses.NONE) {
            dropClassIfBare(labelClass);
        }
        if (host != PodTable.NONE) {
            hosts.dropIfBare(host);
        }
    }

    private int classOf(PodRecord pod) {
        Namespace namespace = namespaces.acquire(pod.bytes, pod.namespaceFrom, pod.namespaceTo);
        try {
            return classes.acquire(namespace, pod);
        } catch (CapacityException full) {
            namespaces.dropIfEmpty(namespace);
            throw full;
        }
    }

    private int findClass(PodRecord pod) {
        Namespace namespace = namespaces.findInRun(pod.bytes, pod.namespaceFrom, pod.namespaceTo);
        return namespace == null ? LabelClasses.NONE : classes.find(namespace, pod);
    }

    /** Takes over what an event says of a pod that is there. */
    private boolean update(int id, PodRecord pod) {
        boolean keepsAssumedHost = pods.is(id, PodTable.ASSUMED) && pod.isUnbound();
        boolean same = findClass(pod) == pods.labelClass(id)
                && (keepsAssumedHost || hostIs(id, pod))
                && pods.is(id, PodTable.TERMINATING) == pod.terminating
                && pods.is(id, PodTable.FINISHED) == pod.finished
                && (keepsAssumedHost || !pods.is(id, PodTable.ASSUMED))
                && !pods.is(id, PodTable.UNSEEN)
                && pods.hasNameOf(id, pod);
        if (same) {
            tellVersion(id, pod);
            return false;
        }
        int host = keepsAssumedHost ? pods.host(id) : hostOf(pod);
        move(id, pod, host);
        tellVersion(id, pod);
        pods.set(id, PodTable.UNSEEN, false);
        if (!keepsAssumedHost) {
            endAssumption(id);
        }
        place(id, host, pod.terminating, pod.finished);
        return true;
    }

    /**
     * Takes a pod off its host, and gives it the namespace, labels and name of the record.
     *
     * @param host that was acquired for the pod, or NONE, and stays; where the rest has no room it is given back, and
     *     nothing is changed
     */
    private void move(int id, PodRecord pod, int host) {
        int oldClass = pods.labelClass(id);
        int newClass = LabelClasses.NONE;
        int name = PodTable.NONE;
        try {
            newClass = classOf(pod);
            if (!pods.hasNameOf(id, pod)) {
                name = pods.holdName(pod);
            }
        } catch (CapacityException full) {
            giveBack(host, newClass, name);
            throw full;
        }
        unplace(id, host);
        changed.note(id);
        pods.rename(id, pod, newClass, name);
        if (newClass != oldClass) {
            podsInClass.remove(oldClass, id);
            podsInClass.add(newClass, id);
            dropClassIfBare(oldClass);
        }
    }

    private boolean hostIs(int id, PodRecord pod) {
        int host = pods.host(id);
        return host == PodTable.NONE
                ? pod.isUnbound()
                : !pod.isUnbound() && host == hosts.find(pod.bytes, pod.nodeFrom, pod.nodeTo, pod.nodeHash);
    }

    /** The host that the record says, made where there is none; NONE where it says none. */
    private int hostOf(PodRecord pod) {
        return pod.isUnbound() ? PodTable.NONE : hosts.acquire(pod.bytes, pod.nodeFrom, pod.nodeTo, pod.nodeHash);
    }

    private void tellVersion(int id, PodRecord pod) {
        pods.setVersion(id, ResourceVersions.kept(pods.version(id), pod.resourceVersion));
    }

    /** Puts a pod that is on no host on {@code host}, where that is one. */
    private void place(int id, int host, boolean terminating, boolean finished) {
        pods.set(id, PodTable.TERMINATING, terminating);
        pods.set(id, PodTable.FINISHED, finished);
        if (host != PodTable.NONE) {
            pods.setHost(id, host);
            podsOnHost.add(host, id);
            countOnHost(id, host, true);
        }
    }

    /** Takes a pod off its host; {@code kept} stays, also without pods. */
    private void unplace(int id, int kept) {
        int host = pods.host(id);
        if (host != PodTable.NONE) {
            countOnHost(id, host, false);
            podsOnHost.remove(host, id);
            pods.setHost(id, PodTable.NONE);
            if (host != kept) {
                hosts.dropIfBare(host);
            }
        }
    }

    private void countOnHost(int id, int host, boolean in) {
        columns.note(id);
        changed.note(id);
        int slot = hosts.slot(host);
        int more = in ? 1 : -1;
        if (slot == NodeTable.NONE) {
            onUnknownNodes += more;
        }
        if (pods.counts(id)) {
            if (slot != NodeTable.NONE) {
                counted += more;
            }
            index.podCounts(id, pods.labelClass(id), host, slot, in);
        }
    }

    /** The pod goes; its row is left to the caller. */
    private void remove(int id) {
        changed.note(id);
        unplace(id, PodTable.NONE);
        endAssumption(id);
        int labelClass = pods.labelClass(id);
        podsInClass.remove(labelClass, id);
        pods.strip(id);
        dropClassIfBare(labelClass);
        if (named != null) {
            named.clear(id);
        }
    }

    private void dropClassIfBare(int labelClass) {
        if (podsInClass.isEmpty(labelClass)) {
            Namespace namespace = classes.namespaceOf(labelClass);
            classes.drop(labelClass);
            namespaces.dropIfEmpty(namespace);
        }
    }

    // ---- assumptions

    /**
     * Counts a pod on a node before the watch shows it bound.
     *
     * @param until on the engine's clock, or {@link #FOR_EVER}
     */
    public Assumption assume(PodRecord pod, String node, long until) {
        int id = pods.locate(pod.uid);
        int host;
        if (id != PodTable.NONE && !pods.isLive(id)) {
            return Assumption.DELETED;
        }
        if (id == PodTable.NONE) {
            host = hosts.acquire(node);
            id = add(PodTable.NONE, pod, host);
            pods.set(id, PodTable.UNSEEN, true);
        } else if (pods.host(id) != PodTable.NONE && !pods.is(id, PodTable.ASSUMED)) {
            return Assumption.ALREADY_BOUND;
        } else {
            host = hosts.acquire(node);
            if (pods.is(id, PodTable.UNSEEN)) {
                move(id, pod, host);
            } else {
                unplace(id, host);
            }
        }
        pods.set(id, PodTable.ASSUMED, true);
        assumedPods.put(id, until);
        boolean unseen = pods.is(id, PodTable.UNSEEN);
        place(
                id,
                host,
                unseen ? pod.terminating : pods.is(id, PodTable.TERMINATING),
                unseen ? pod.finished : pods.is(id, PodTable.FINISHED));
        return hosts.slot(host) == NodeTable.NONE ? Assumption.NODE_UNKNOWN : Assumption.COUNTED;
    }

    /** Takes an assumption back; answers whether there was one. */
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
            remove(id);
            pods.free(id);
        } else {
            unplace(id, PodTable.NONE);
            endAssumption(id);
        }
    }

    /** Takes back assumptions whose time has come, until time is up or all are looked at; answers how many. */
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

    /** Whether assumptions are left to be looked at. */
    boolean isExpiring() {
        return partsExpired > 0 || !due.isEmpty();
    }

    /** Looks again: since the pod was found it may have been forgotten, bound, or assumed anew. */
    private boolean expireNext(long now) {
        int pod = due.removeAt(due.size() - 1);
        boolean expires = assumedPods.isDue(pod, now);
        if (expires) {
            forget(pod);
        }
        return expires;
    }

    private void endAssumption(int id) {
        if (pods.is(id, PodTable.ASSUMED)) {
            pods.set(id, PodTable.ASSUMED, false);
            assumedPods.remove(id);
        }
    }

    // ---- snapshots

    /** From now on the pods that are named are noted. */
    public void beginSnapshot() {
        named = new BitSet();
        sweptTo = 0;
    }

    /**
     * Removes pods that were not named since, but for those known from an assumption alone; until time is up or all are
     * looked at. Answers how many.
     */
    public int sweep(BooleanSupplier isTimeUp) {
        BitSet kept = named == null ? new BitSet() : named;
        int removed = 0;
        while (!isSwept()) {
            int pod = sweptTo++;
            boolean looks = sweptTo % ROWS_A_LOOK_AT_THE_CLOCK == 0;
            if (pods.isLive(pod) && !kept.get(pod) && !pods.is(pod, PodTable.UNSEEN)) {
                remove(pod);
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

    /** Whether all pods are looked at; those that come now are named. */
    boolean isSwept() {
        return sweptTo >= pods.limit();
    }

    public void abandonSnapshot() {
        named = null;
    }
}
