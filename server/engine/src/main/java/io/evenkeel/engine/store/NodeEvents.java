package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeResources;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.Tombstones;
import io.evenkeel.engine.index.NodeChange;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.labels.LabelIds;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.VersionOrder;
import java.util.Objects;

/** Applies events of nodes to the node table, the hosts and the index. */
public final class NodeEvents {
    private final StringTable strings;
    private final NodeSlots nodes;
    private final HostTable hosts;
    private final NodeResources resources;
    private final SpreadIndex index;
    private final NodeChange nodeChange;
    private final PodTotals podTotals;
    private final Tombstones tombstones;
    private final NamedObjects named;
    private final KindVersions versions;

    NodeEvents(ClusterStore store) {
        strings = store.strings;
        nodes = store.nodes;
        hosts = store.hosts;
        resources = store.resources;
        index = store.index;
        nodeChange = new NodeChange(index, nodes, store.pods, store.podsOnHost, store.classes);
        podTotals = store.podTotals;
        tombstones = store.tombstones;
        named = store.named;
        versions = store.versions;
    }

    /** Applies an event; returns whether it changed anything that an answer or a status could show. */
    public boolean apply(Change change, NodeObject node) {
        int slot = nodes.slotOfUid(node.uid());
        if (change == Change.DELETED) {
            long stored = slot == NodeSlots.NONE ? 0 : nodes.version(slot);
            tombstones.remember(node.uid(), VersionOrder.newest(stored, node.resourceVersion()));
            if (slot == NodeSlots.NONE) {
                return false;
            }
            remove(slot);
            return true;
        }
        long known = slot == NodeSlots.NONE ? tombstones.version(node.uid()) : nodes.version(slot);
        versions.goBack(ObjectKind.NODE, change, slot == NodeSlots.NONE ? 0 : known, node.resourceVersion());
        if (slot == NodeSlots.NONE) {
            int namesake = nodes.slotOfName(node.name());
            boolean nameTaken = namesake != NodeSlots.NONE;
            if (!tombstones.admits(node.uid(), change, node.resourceVersion(), nameTaken)) {
                return false;
            }
            if (nameTaken
                    && named.keepsName(ObjectKind.NODE, nodes.uid(namesake))
                    && VersionOrder.isStale(change, nodes.version(namesake), node.resourceVersion())) {
                return false;
            }
        } else if (VersionOrder.isStale(change, known, node.resourceVersion())) {
            named.takeStale(ObjectKind.NODE, node.uid(), known, node.resourceVersion());
            return false;
        }
        // Also if there is no room for the update, because the node exists.
        named.take(ObjectKind.NODE, node.uid());
        long version = VersionOrder.kept(known, node.resourceVersion());
        boolean renamed =
                slot != NodeSlots.NONE && !nodes.attributes(slot).name().equals(node.name());
        // Everything that may be rejected for lack of room comes first. After it, nothing can be rejected.
        int[] labels = LabelIds.acquire(node.labels(), strings);
        int host = hostOfNew(node, labels);
        tombstones.forget(node.uid());
        if (renamed) {
            remove(slot);
            slot = NodeSlots.NONE;
        }
        if (slot == NodeSlots.NONE) {
            slot = nodes.slotOfName(node.name());
            if (slot != NodeSlots.NONE) {
                tombstones.rememberReplaced(nodes.uid(slot), nodes.version(slot));
                nodes.setUid(slot, node.uid());
            }
        }
        NodeSlots.Attributes next = new NodeSlots.Attributes(node, labels);
        boolean changed = true;
        if (slot == NodeSlots.NONE) {
            slot = add(node, host, next);
        } else {
            NodeSlots.Attributes old = nodes.attributes(slot);
            changed = !old.hasSame(next);
            if (changed) {
                setAttributes(slot, old, next);
                nodeChange.apply(slot, nodes.hostOf(slot), old, next);
                LabelIds.release(old.labels(), strings);
            } else {
                LabelIds.release(labels, strings);
            }
        }
        nodes.setVersion(slot, version);
        // The node of the old name was removed, even if the one of the new name has not changed.
        return changed || renamed;
    }

    /**
     * The host for a node whose name no other node has; NONE if another node has it. If there is no room for the host,
     * the labels are released.
     */
    private int hostOfNew(NodeObject node, int[] labels) {
        if (nodes.slotOfName(node.name()) != NodeSlots.NONE) {
            return HostTable.NONE;
        }
        try {
            return hosts.acquire(node.name());
        } catch (CapacityException full) {
            LabelIds.release(labels, strings);
            throw full;
        }
    }

    private void setAttributes(int slot, NodeSlots.Attributes old, NodeSlots.Attributes next) {
        boolean offersOther = !Objects.equals(old.allocatable(), next.allocatable());
        if (offersOther) {
            resources.nodeLeaves(slot, nodes.hostOf(slot));
        }
        nodes.setAttributes(slot, next);
        if (offersOther) {
            resources.nodeEnters(slot, nodes.hostOf(slot));
        }
    }

    private int add(NodeObject node, int host, NodeSlots.Attributes next) {
        int slot = nodes.occupy(host, node.uid(), next);
        hosts.setSlot(host, slot);
        index.growTo(nodes.capacity());
        nodeChange.apply(slot, host, null, next);
        podTotals.hostCounts(host, true);
        resources.nodeEnters(slot, host);
        return slot;
    }

    /** Removes a node. Its pods stay, but count nowhere. */
    void remove(int slot) {
        NodeSlots.Attributes old = nodes.attributes(slot);
        int host = nodes.hostOf(slot);
        resources.nodeLeaves(slot, host);
        nodes.free(slot);
        hosts.setSlot(host, HostTable.NONE);
        nodeChange.apply(slot, host, old, null);
        LabelIds.release(old.labels(), strings);
        podTotals.hostCounts(host, false);
        hosts.dropIfBare(host);
    }
}
