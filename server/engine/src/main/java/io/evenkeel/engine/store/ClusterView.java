package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.cluster.ChangedPods;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.Uid;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster for those who only read: plans, answers, explanations and what-ifs. Nothing can be changed through it.
 * Used under the engine's lock, but where a method says otherwise.
 */
public final class ClusterView {
    private final ClusterStore store;
    private volatile @Nullable NodeNameTable names;

    /** An engine has one view: plans are told apart by it. */
    public ClusterView(ClusterStore store) {
        this.store = store;
    }

    /** The engine's revision; needs no lock. */
    public long revision() {
        return store.revision();
    }

    // ---- nodes

    /** Grows whenever a node comes, goes or changes. */
    public long nodeMoves() {
        return store.index.nodeMoves() + store.nodes.revision();
    }

    /** How many nodes there are. */
    public int nodeCount() {
        return store.nodes.size();
    }

    /** The slots of all nodes; not to be changed. */
    public long[] knownSlots() {
        return store.nodes.known();
    }

    /** The slots of the nodes of these names, and the names that no node has. */
    public CandidateNodes.Resolved resolve(CandidateNodes candidates) {
        return candidates.resolve(store.nodes);
    }

    /** The node table now; shared until a node comes or goes. */
    public NodeNameTable nodeNames() {
        NodeNameTable known = names;
        if (known == null || known.revision() != store.nodes.revision()) {
            known = new NodeNameTable(store.nodes);
            names = known;
        }
        return known;
    }

    /** NONE where no node has the name. */
    public int slotOfNode(String name) {
        return store.nodes.slotOfName(name);
    }

    /** By slot; null where there is no node. */
    public @Nullable NodeTable.Attributes[] copyOfNodes() {
        return store.nodes.copyOfAttributes();
    }

    /** Whether a slot still is that node, and the node as it was. */
    public boolean isStill(int slot, NodeTable.@Nullable Attributes node) {
        return store.nodes.isKnown(slot) && store.nodes.attributes(slot) == node;
    }

    // ---- pods

    /** The pods of a UID, or of a namespace and name. */
    public List<Integer> findPods(PodKey key) {
        return store.find(key);
    }

    /** Those of them that count on a node. */
    public List<Integer> placedPods(PodKey key) {
        List<Integer> placed = new ArrayList<>();
        for (int pod : store.find(key)) {
            if (slotCountedOn(pod) != NodeTable.NONE) {
                placed.add(pod);
            }
        }
        return placed;
    }

    /** The pod of a UID; PodTable.NONE where there is none. */
    public int podOfUid(String uid) {
        return store.pods.find(Uid.of(uid));
    }

    public boolean isLive(int pod) {
        return store.pods.isLive(pod);
    }

    /** By its UID. */
    public PodKey uidKey(int pod) {
        return PodKey.ofUid(store.pods.uid(pod));
    }

    /** By its namespace and name. */
    public PodKey nameKey(int pod) {
        return PodKey.ofName(store.classes.namespaceOf(store.pods.labelClass(pod)).name, store.pods.name(pod));
    }

    /** The slot that a pod counts on, or NONE. */
    public int slotCountedOn(int pod) {
        return store.slotCountedOn(pod);
    }

    /** Whether a group is of a pod's namespace, and its selector matches the pod. */
    public boolean isMatched(int pod, SpreadGroup by) {
        int labelClass = store.pods.labelClass(pod);
        return store.classes.namespaceOf(labelClass) == by.namespace
                && store.classes.isMatched(labelClass, by.selector.requirements);
    }

    /** About how many bytes it takes that label classes know which selectors match them. */
    public long matchBytes() {
        return store.classes.matchBytes();
    }

    /** From now on the pods that change are noted, until {@link #endWatch}. */
    public ChangedPods.Watch watchPods() {
        return store.changedPods.begin();
    }

    /** Needs no lock. */
    public void endWatch(ChangedPods.Watch watch) {
        store.changedPods.end(watch);
    }

    // ---- owners

    /** Grows with every change of an owner in any namespace. */
    public long ownersChanges() {
        return store.owners.changes();
    }

    /** Moves with every change of the namespace's owners. */
    public long ownersVersion(String namespace) {
        return store.owners.version(namespace);
    }

    /** The selector that the owners of a pod give to default constraints. */
    public PodSelector defaultSelector(IncomingPod pod) {
        return store.owners.defaultSelector(pod);
    }

    // ---- texts

    /** The id of a text; StringTable.NONE where nothing in the cluster has it. */
    public int findText(String text) {
        return store.strings.find(text);
    }

    /** The text of an id that is in use. */
    public String text(int id) {
        return store.strings.get(id);
    }
}
