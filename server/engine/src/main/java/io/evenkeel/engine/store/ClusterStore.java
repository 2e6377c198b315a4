package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.ChangedPods;
import io.evenkeel.engine.cluster.DeletedPods;
import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.cluster.OwnerTable;
import io.evenkeel.engine.cluster.PodColumns;
import io.evenkeel.engine.cluster.PodFetch;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.cluster.Tombstones;
import io.evenkeel.engine.index.NodeChange;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.LabelIds;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.ResourceVersions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as it was told: nodes, pods ({@link PodStore}) and owners by UID, with what is needed to build a group at
 * first sight and to undo an event. Tells the index what counts where.
 *
 * <p>Each change answers whether it changed anything that an answer or a status could show.
 */
public final class ClusterStore {
    public final StringTable strings;
    public final NodeTable nodes = new NodeTable();
    public final HostTable hosts;
    public final Namespaces namespaces = new Namespaces();
    public final LabelClasses classes;
    public final PodTable pods;
    public final PodColumns podColumns;
    public final ChangedPods changedPods = new ChangedPods();
    final PodFetch podFetch;
    public final DeletedPods deletedPods;
    public final PodList podsOnHost;
    public final PodList podsInClass;
    public final OwnerTable owners = new OwnerTable();
    public final SpreadIndex index;
    private final NodeChange nodeChange;
    public final PodStore podStore;

    private final Tombstones tombstones;
    private @Nullable Named named;

    /**
     * The nodes and owners that a snapshot under way has named; and at its end, those that have not been looked at yet.
     */
    private static final class Named {
        final Set<String> nodes = new HashSet<>();
        final Set<String> owners = new HashSet<>();

        @Nullable
        Iterator<String> ownersLeft;

        int slotsLeft;
    }

    public ClusterStore(int wideFrom, int tombstoneLimit) {
        this(wideFrom, tombstoneLimit, Capacity.LARGEST);
    }

    public ClusterStore(int wideFrom, int tombstoneLimit, Capacity capacity) {
        strings = new StringTable(capacity.textPages());
        hosts = new HostTable(strings, capacity.hosts());
        classes = new LabelClasses(strings, capacity.classPages());
        pods = new PodTable(strings, classes, capacity.pods());
        podColumns = new PodColumns(pods);
        podFetch = new PodFetch(namespaces, pods);
        podsOnHost = new PodList(hosts, pods, PodTable.HOST_LINKS);
        podsInClass = new PodList(classes, pods, PodTable.CLASS_LINKS);
        deletedPods = new DeletedPods(pods, tombstoneLimit);
        index = new SpreadIndex(strings, nodes, classes, wideFrom);
        nodeChange = new NodeChange(index, nodes, pods, podsOnHost, classes);
        tombstones = new Tombstones(tombstoneLimit);
        podStore = new PodStore(this);
    }

    public int countedPods() {
        return podStore.counted();
    }

    /** Pods bound to or assumed on a name that no node has. */
    public int podsOnUnknownNodes() {
        return podStore.onUnknownNodes();
    }

    /** The slot that a pod counts on, or NONE. */
    public int slotCountedOn(int pod) {
        return podStore.slotCountedOn(pod);
    }

    /** The pods of a UID, or of a namespace and name, that count on a node. */
    public List<Integer> placedPods(PodKey key) {
        List<Integer> placed = new ArrayList<>();
        for (int pod : find(key)) {
            if (slotCountedOn(pod) != NodeTable.NONE) {
                placed.add(pod);
            }
        }
        return placed;
    }

    /** The pods of a UID, or of a namespace and name. */
    public List<Integer> find(PodKey key) {
        return podStore.find(key);
    }

    // ---- nodes

    public boolean apply(Change change, NodeObject node) {
        int slot = nodes.slotOfUid(node.uid());
        if (change == Change.DELETED) {
            long known = slot == NodeTable.NONE ? 0 : nodes.version(slot);
            tombstones.remember(node.uid(), ResourceVersions.newest(known, node.resourceVersion()));
            if (slot == NodeTable.NONE) {
                return false;
            }
            removeNode(slot);
            return true;
        }
        if (named != null) {
            named.nodes.add(node.uid());
        }
        if (slot == NodeTable.NONE
                ? !tombstones.admits(node.uid(), change, node.resourceVersion())
                : ResourceVersions.isStale(change, nodes.version(slot), node.resourceVersion())) {
            return false;
        }
        long version = ResourceVersions.kept(
                slot == NodeTable.NONE ? tombstones.version(node.uid()) : nodes.version(slot), node.resourceVersion());
        boolean renamed =
                slot != NodeTable.NONE && !nodes.attributes(slot).name().equals(node.name());
        // What may have no room comes first: from then on nothing is refused.
        int[] labels = LabelIds.acquire(node.labels(), strings);
        int host = hostOfNew(node, labels);
        tombstones.forget(node.uid());
        if (renamed) {
            removeNode(slot);
            slot = NodeTable.NONE;
        }
        if (slot == NodeTable.NONE) {
            slot = nodes.slotOfName(node.name());
            if (slot != NodeTable.NONE) {
                tombstones.remember(nodes.uid(slot), nodes.version(slot));
                nodes.setUid(slot, node.uid());
            }
        }
        NodeTable.Attributes next = new NodeTable.Attributes(node, labels);
        boolean changed = true;
        if (slot == NodeTable.NONE) {
            slot = addNode(node, host, next);
        } else {
            NodeTable.Attributes old = nodes.attributes(slot);
            changed = !old.hasSame(next);
            if (changed) {
                nodes.setAttributes(slot, next);
                nodeChange.apply(slot, nodes.hostOf(slot), old, next);
                LabelIds.release(old.labels(), strings);
            } else {
                LabelIds.release(labels, strings);
            }
        }
        nodes.setVersion(slot, version);
        // The node of the old name has gone, even where that of the new one is as it was.
        return changed || renamed;
    }

    /**
     * The host of a node of a name that no node has; NONE where one has it. Where there is no room for it the labels
     * are given back.
     */
    private int hostOfNew(NodeObject node, int[] labels) {
        if (nodes.slotOfName(node.name()) != NodeTable.NONE) {
            return HostTable.NONE;
        }
        try {
            return hosts.acquire(node.name());
        } catch (CapacityException full) {
            LabelIds.release(labels, strings);
            throw full;
        }
    }

    private int addNode(NodeObject node, int host, NodeTable.Attributes next) {
        int slot = nodes.occupy(host, node.uid(), next);
        hosts.setSlot(host, slot);
        index.growTo(nodes.capacity());
        nodeChange.apply(slot, host, null, next);
        podStore.hostCounts(host, true);
        return slot;
    }

    private void removeNode(int slot) {
        NodeTable.Attributes old = nodes.attributes(slot);
        int host = nodes.hostOf(slot);
        nodes.free(slot);
        hosts.setSlot(host, HostTable.NONE);
        nodeChange.apply(slot, host, old, null);
        LabelIds.release(old.labels(), strings);
        podStore.hostCounts(host, false);
        hosts.dropIfBare(host);
    }

    // ---- owners

    public boolean apply(Change change, OwnerObject owner) {
        OwnerObject stored = owners.find(owner.uid());
        if (change == Change.DELETED) {
            long known = stored == null ? 0 : stored.resourceVersion();
            tombstones.remember(owner.uid(), ResourceVersions.newest(known, owner.resourceVersion()));
            return owners.remove(owner.uid());
        }
        if (named != null) {
            named.owners.add(owner.uid());
        }
        if (stored == null
                ? !tombstones.admits(owner.uid(), change, owner.resourceVersion())
                : ResourceVersions.isStale(change, stored.resourceVersion(), owner.resourceVersion())) {
            return false;
        }
        long known = stored == null ? tombstones.version(owner.uid()) : stored.resourceVersion();
        tombstones.forget(owner.uid());
        OwnerObject namesake = owners.namesake(owner);
        if (namesake != null && !namesake.uid().equals(owner.uid())) {
            tombstones.remember(namesake.uid(), namesake.resourceVersion());
        }
        return owners.put(owner.atVersion(ResourceVersions.kept(known, owner.resourceVersion())));
    }

    // ---- snapshots

    /** From now on what is named is noted. */
    public void beginSnapshot() {
        named = new Named();
        podStore.beginSnapshot();
    }

    /**
     * Removes some of what has not been named since the snapshot began: pods, then owners, then nodes. Where all are
     * looked at the snapshot is over. What is named between two calls stays: it is new, or it was not looked at yet, or
     * it was removed and comes again.
     *
     * @param isTimeUp whether the rest must be left to the next call
     * @return how many
     */
    public int sweepSnapshot(BooleanSupplier isTimeUp) {
        Named seen = named;
        if (seen == null) {
            throw new IllegalStateException("no snapshot is under way");
        }
        int removed = podStore.isSwept() ? 0 : podStore.sweep(isTimeUp);
        while (named != null && podStore.isSwept()) {
            removed += sweepNext(seen) ? 1 : 0;
            if (isTimeUp.getAsBoolean()) {
                break;
            }
        }
        return removed;
    }

    /** Looks at the next owner or node; answers whether it is removed. */
    private boolean sweepNext(Named seen) {
        Iterator<String> ownersLeft = seen.ownersLeft;
        if (ownersLeft == null) {
            ownersLeft = owners.uids().iterator();
            seen.ownersLeft = ownersLeft;
            seen.slotsLeft = nodes.limit();
        }
        if (ownersLeft.hasNext()) {
            String uid = ownersLeft.next();
            return !seen.owners.contains(uid) && owners.remove(uid);
        }
        if (seen.slotsLeft == 0) {
            abandonSnapshot();
            return false;
        }
        int slot = --seen.slotsLeft;
        boolean goes = nodes.isKnown(slot) && !seen.nodes.contains(nodes.uid(slot));
        if (goes) {
            removeNode(slot);
        }
        return goes;
    }

    /** The snapshot is over: nothing more is removed. */
    public void abandonSnapshot() {
        named = null;
        podStore.abandonSnapshot();
    }

    public boolean isSnapshotUnderWay() {
        return named != null;
    }
}
