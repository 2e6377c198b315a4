package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.cluster.ChangedPods;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.cluster.ResolvedNodes;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.Uid;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What readers see of the {@link ClusterStore}: plans, answers, explanations and what-ifs read it, and cannot change
 * it. It is used under the engine's lock, except where a method says otherwise.
 */
public final class ClusterView {
    private final ClusterStore store;
    private volatile @Nullable NodeNameTable names;

    /** Makes the view of an engine. There is only one: plans of two engines are distinguished by it. */
    public ClusterView(ClusterStore store) {
        this.store = store;
    }

    /** The engine's revision. Needs no lock. */
    public long revision() {
        return store.revision();
    }

    // ---- nodes

    /** Increases whenever a node is added, removed or changed. */
    public long nodeMoves() {
        return store.index.nodeMoves() + store.nodes.revision();
    }

    /** How many nodes there are. */
    public int nodeCount() {
        return store.nodes.size();
    }

    /** The slots of all nodes. The array must not be changed. */
    public long[] knownSlots() {
        return store.nodes.known();
    }

    /** The slots of chosen nodes, and the names that no node has. */
    public ResolvedNodes resolve(CandidateNodes candidates) {
        return candidates.resolve(store.nodes);
    }

    /** The names of the nodes now. The object is shared until a node is added or removed. */
    public NodeNameTable nodeNames() {
        NodeNameTable known = names;
        if (known == null || known.revision() != store.nodes.revision()) {
            known = new NodeNameTable(store.nodes);
            names = known;
        }
        return known;
    }

    /** The slot of the node with that name, or NONE. */
    public int slotOfNode(String name) {
        return store.nodes.slotOfName(name);
    }

    /** The attributes of all nodes by slot; null where there is no node. */
    public @Nullable NodeTable.Attributes[] copyOfNodes() {
        return store.nodes.copyOfAttributes();
    }

    /** Whether the slot still has the same node, with the same attributes. */
    public boolean isStill(int slot, NodeTable.@Nullable Attributes node) {
        return store.nodes.isKnown(slot) && store.nodes.attributes(slot) == node;
    }

    // ---- pods

    /** The pods with a UID, or with a namespace and name. */
    public List<Integer> findPods(PodKey key) {
        return store.find(key);
    }

    /** Those of {@link #findPods} that count on a node. */
    public List<Integer> placedPods(PodKey key) {
        List<Integer> placed = new ArrayList<>();
        for (int pod : store.find(key)) {
            if (slotCountedOn(pod) != NodeTable.NONE) {
                placed.add(pod);
            }
        }
        return placed;
    }

    /** The pod with a UID, or PodTable.NONE. */
    public int podOfUid(String uid) {
        return store.pods.find(Uid.of(uid));
    }

    public boolean isLive(int pod) {
        return store.pods.isLive(pod);
    }

    /** The key of a pod by its UID. */
    public PodKey uidKey(int pod) {
        return PodKey.ofUid(store.pods.uid(pod));
    }

    /** The key of a pod by its namespace and name. */
    public PodKey nameKey(int pod) {
        return PodKey.ofName(store.classes.namespaceOf(store.pods.labelClass(pod)).name, store.pods.name(pod));
    }

    /** The slot on which a pod counts, or NONE. */
    public int slotCountedOn(int pod) {
        return store.slotCountedOn(pod);
    }

    /** Whether a pod is in the namespace of a group and the group's selector matches it. */
    public boolean isMatched(int pod, SpreadGroup by) {
        int labelClass = store.pods.labelClass(pod);
        return store.classes.namespaceOf(labelClass) == by.namespace
                && store.classes.isMatched(labelClass, by.selector.requirements);
    }

    /** Roughly how many bytes the label classes' lists of matching selectors take. */
    public long matchBytes() {
        return store.classes.matchBytes();
    }

    /** Records the pods that change from now on, until {@link #endWatch}. */
    public ChangedPods.Watch watchPods() {
        return store.changedPods.begin();
    }

    /** Ends a watch. Needs no lock. */
    public void endWatch(ChangedPods.Watch watch) {
        store.changedPods.end(watch);
    }

    // ---- owners

    /** Increases with every change of an owner in any namespace. */
    public long ownersChanges() {
        return store.owners.changes();
    }

    /** Changes with every change of the namespace's owners. */
    public long ownersVersion(String namespace) {
        return store.owners.version(namespace);
    }

    /** The selector that default constraints get from the owners of a pod. */
    public PodSelector defaultSelector(IncomingPod pod) {
        return store.owners.defaultSelector(pod);
    }

    // ---- texts

    /** The id of a text, or StringTable.NONE where nothing in the cluster has it. */
    public int findText(String text) {
        return store.strings.find(text);
    }

    /** The text of an id that is in use. */
    public String text(int id) {
        return store.strings.get(id);
    }
}
