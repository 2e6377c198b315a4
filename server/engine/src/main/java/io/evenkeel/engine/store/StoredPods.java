package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.ChangedPods;
import io.evenkeel.engine.cluster.DeletedPods;
import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeResources;
import io.evenkeel.engine.cluster.PodColumns;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.cluster.RequestTable;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.PodRecord;

/**
 * Adds, moves and removes single pods, so that a pod's row, class, name, host and counts always agree. Callers decide
 * what an event or an assumption means. Adding a pod whose labels are known allocates nothing.
 */
final class StoredPods {
    private final Namespaces namespaces;
    private final HostTable hosts;
    private final LabelClasses classes;
    private final PodTable pods;
    private final RequestTable requests;
    private final NodeResources resources;
    private final PodList podsOnHost;
    private final PodList podsInClass;
    private final PodColumns columns;
    private final ChangedPods changed;
    private final DeletedPods deletedPods;
    private final SpreadIndex index;

    private final AssumedPods assumedPods;
    private final PodTotals totals;
    private final NamedObjects named;

    StoredPods(ClusterStore store) {
        this.namespaces = store.namespaces;
        this.hosts = store.hosts;
        this.classes = store.classes;
        this.pods = store.pods;
        this.requests = store.requests;
        this.resources = store.resources;
        this.podsOnHost = store.podsOnHost;
        this.podsInClass = store.podsInClass;
        this.columns = store.podColumns;
        this.changed = store.changedPods;
        this.index = store.index;
        this.deletedPods = store.deletedPods;
        this.assumedPods = store.assumedPods;
        this.totals = store.podTotals;
        this.named = store.named;
    }

    /**
     * Adds a pod. If its UID has a row because it was deleted before, the pod reuses that row.
     *
     * @param host the host that was acquired for it, or NONE; it is released if there is no room for the pod
     */
    int add(int deleted, PodRecord pod, int host) {
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
        pods.setRequests(id, requests.acquire(pod.requests));
        pods.setDraining(id, pod);
        pods.setImportance(id, pod);
        changed.note(id);
        podsInClass.add(labelClass, id);
        return id;
    }

    /** Releases what was acquired for a pod for which there is no room. Each may be NONE. */
    private void giveBack(int host, int labelClass, int name) {
        if (name != PodTable.NONE) {
            pods.releaseName(name);
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

    /**
     * Removes a pod from its host, and gives it the namespace, labels, name and requests of the record.
     *
     * @param host the host that was acquired for the pod, or NONE; if there is no room for the rest, it is released and
     *     nothing is changed
     */
    void move(int id, PodRecord pod, int host) {
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
        setRequests(id, pod);
        pods.setDraining(id, pod);
        pods.setImportance(id, pod);
        if (newClass != oldClass) {
            podsInClass.remove(oldClass, id);
            podsInClass.add(newClass, id);
            dropClassIfBare(oldClass);
        }
    }

    private void setRequests(int id, PodRecord pod) {
        int old = pods.requests(id);
        pods.setRequests(id, requests.acquire(pod.requests));
        requests.release(old);
    }

    /** The host that the record names, created if there is none; NONE if it names none. */
    int hostOf(PodRecord pod) {
        return pod.isUnbound() ? PodTable.NONE : hosts.acquire(pod.bytes, pod.nodeFrom, pod.nodeTo, pod.nodeHash);
    }

    /** Puts a pod that is on no host on {@code host}, unless that is NONE. */
    void place(int id, int host, boolean terminating, boolean finished) {
        pods.set(id, PodTable.TERMINATING, terminating);
        pods.set(id, PodTable.FINISHED, finished);
        if (host != PodTable.NONE) {
            pods.setHost(id, host);
            podsOnHost.add(host, id);
            countOnHost(id, host, true);
        }
    }

    /** Removes a pod from its host. The host {@code kept} stays, even without pods. */
    void unplace(int id, int kept) {
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
        totals.podCounts(id, host, in);
        resources.podCounts(id, hosts.slot(host), in);
        if (pods.counts(id)) {
            index.podCounts(id, pods.labelClass(id), host, hosts.slot(host), in);
        }
    }

    /** Removes a pod. The caller must free or keep its row. */
    void remove(int id) {
        changed.note(id);
        unplace(id, PodTable.NONE);
        endAssumption(id);
        int labelClass = pods.labelClass(id);
        podsInClass.remove(labelClass, id);
        requests.release(pods.requests(id));
        pods.strip(id);
        dropClassIfBare(labelClass);
        named.forgetPod(id);
    }

    private void dropClassIfBare(int labelClass) {
        if (podsInClass.isEmpty(labelClass)) {
            Namespace namespace = classes.namespaceOf(labelClass);
            classes.drop(labelClass);
            namespaces.dropIfEmpty(namespace);
        }
    }

    /** Ends an assumption: from now on the pod is on the node that an event names, or on none. */
    void endAssumption(int id) {
        if (pods.is(id, PodTable.ASSUMED)) {
            pods.set(id, PodTable.ASSUMED, false);
            assumedPods.remove(id);
        }
    }
}
