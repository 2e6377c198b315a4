package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.DeletedPods;
import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.cluster.RequestTable;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.VersionOrder;

/** Applies events of pods. An event whose labels are known allocates nothing. */
public final class PodEvents {
    private final Namespaces namespaces;
    private final NodeSlots nodes;
    private final HostTable hosts;
    private final LabelClasses classes;
    private final PodTable pods;
    private final RequestTable requests;
    private final DeletedPods deletedPods;
    private final NamedObjects named;
    private final KindVersions versions;
    private final StoredPods stored;

    PodEvents(ClusterStore store, StoredPods stored) {
        this.namespaces = store.namespaces;
        this.nodes = store.nodes;
        this.hosts = store.hosts;
        this.classes = store.classes;
        this.pods = store.pods;
        this.requests = store.requests;
        this.deletedPods = store.deletedPods;
        this.named = store.named;
        this.versions = store.versions;
        this.stored = stored;
    }

    /** Applies an event; returns whether it changed anything that an answer or a status could show. */
    public boolean apply(Change change, PodRecord pod) {
        int row = pods.locate(pod.uid);
        boolean live = row != PodTable.NONE && pods.isLive(row);
        if (change == Change.DELETED) {
            return delete(row, live, pod);
        }
        versions.goBack(ObjectKind.POD, change, live ? pods.version(row) : 0, pod.resourceVersion);
        if (!live) {
            if (row != PodTable.NONE && !VersionOrder.mayReturn(change, pods.version(row), pod.resourceVersion)) {
                return false;
            }
            add(row, pod, stored.hostOf(pod));
            return true;
        }
        if (!pods.is(row, PodTable.UNSEEN) && VersionOrder.isStale(change, pods.version(row), pod.resourceVersion)) {
            named.takeStalePod(row, pods.version(row), pod.resourceVersion);
            return false;
        }
        // Also if there is no room for the update, because the pod exists.
        named.takePod(row);
        return update(row, pod);
    }

    /**
     * Adds a pod that is not stored on the node in {@code slot}, whatever node the record names, as no event does.
     *
     * @throws IllegalArgumentException if it is stored
     */
    void add(PodRecord pod, int slot) {
        int row = pods.locate(pod.uid);
        if (row != PodTable.NONE && pods.isLive(row)) {
            throw new IllegalArgumentException("pod " + pod.uid() + " is stored already");
        }
        add(row, pod, nodes.hostOf(slot));
    }

    private void add(int deleted, PodRecord pod, int host) {
        int id = stored.add(deleted, pod, host);
        recordVersion(id, pod);
        stored.place(id, host, pod.terminating, pod.finished);
        named.takePod(id);
    }

    private boolean delete(int row, boolean live, PodRecord pod) {
        if (live) {
            stored.remove(row);
            deletedPods.remember(row, VersionOrder.newest(pods.version(row), pod.resourceVersion));
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
            // There was no pod to delete, and there is no room to remember the deletion. So a late event may add the
            // pod.
            return;
        }
        deletedPods.remember(row, pod.resourceVersion);
    }

    /** Updates an existing pod from an event. */
    private boolean update(int id, PodRecord pod) {
        boolean keepsAssumedHost = pods.is(id, PodTable.ASSUMED) && pod.isUnbound();
        boolean same = findClass(pod) == pods.labelClass(id)
                && (keepsAssumedHost || hostIs(id, pod))
                && pods.is(id, PodTable.TERMINATING) == pod.terminating
                && pods.is(id, PodTable.FINISHED) == pod.finished
                && (keepsAssumedHost || !pods.is(id, PodTable.ASSUMED))
                && !pods.is(id, PodTable.UNSEEN)
                && requests.is(pods.requests(id), pod.requests)
                && pods.drainability(id) == pod.drainability
                && pods.goneAt(id) == pod.goneAt
                && pods.hasNameOf(id, pod);
        if (same) {
            recordVersion(id, pod);
            return pods.setImportance(id, pod);
        }
        int host = keepsAssumedHost ? pods.host(id) : stored.hostOf(pod);
        stored.move(id, pod, host);
        recordVersion(id, pod);
        pods.set(id, PodTable.UNSEEN, false);
        if (!keepsAssumedHost) {
            stored.endAssumption(id);
        }
        stored.place(id, host, pod.terminating, pod.finished);
        return true;
    }

    /** Moves a pod to the node in a slot, or takes it from its node if that is NONE. */
    void move(int id, int slot) {
        int host = slot == NodeSlots.NONE ? PodTable.NONE : nodes.hostOf(slot);
        stored.unplace(id, host);
        stored.place(id, host, pods.is(id, PodTable.TERMINATING), pods.is(id, PodTable.FINISHED));
    }

    private int findClass(PodRecord pod) {
        Namespace namespace = namespaces.findInRun(pod.bytes, pod.namespaceFrom, pod.namespaceTo);
        return namespace == null ? LabelClasses.NONE : classes.find(namespace, pod);
    }

    private boolean hostIs(int id, PodRecord pod) {
        int host = pods.host(id);
        return host == PodTable.NONE
                ? pod.isUnbound()
                : !pod.isUnbound() && host == hosts.find(pod.bytes, pod.nodeFrom, pod.nodeTo, pod.nodeHash);
    }

    private void recordVersion(int id, PodRecord pod) {
        pods.setVersion(id, VersionOrder.kept(pods.version(id), pod.resourceVersion));
    }
}
