package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.ChangedPods;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.cluster.RequestTable;
import io.evenkeel.engine.cluster.ResolvedNodes;
import io.evenkeel.engine.index.AffinityMatcher;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.labels.ClassPositions;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.Drainability;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.model.Uid;
import io.evenkeel.engine.model.VersionOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ClusterStore} as readers see it: plans, answers, explanations and what-ifs read it, and cannot change it.
 * Used under the engine's lock, unless a method says otherwise.
 */
public final class ClusterView {
    private final ClusterStore store;
    private volatile @Nullable NodeNameTable names;

    /** Makes the only view of an engine: it identifies the engine of a plan. */
    public ClusterView(ClusterStore store) {
        this.store = store;
    }

    /** The engine's revision. Needs no lock. */
    public long revision() {
        return store.revision();
    }

    /** How current the state of each kind of object is. The returned object must not be changed. */
    public KindVersions versions() {
        return store.versions;
    }

    // ---- nodes

    /** Increases whenever a node is added or removed, or changed in a way that the index depends on. */
    public long nodeMoves() {
        return store.index.nodeMoves() + store.nodes.revision();
    }

    /** Increases whenever a node is added, removed or changed. */
    public long nodeChanges() {
        return store.nodes.changes();
    }

    /** Increases with every change of what is free on a node. */
    public long resourceMoves() {
        return store.resources.moves();
    }

    /** Whether {@link #resourceMove} knows all of these changes from one on. */
    public boolean remembersResourceMoves(long move) {
        return store.resources.remembers(move);
    }

    /** The slot on which one of these changes was. */
    public int resourceMove(long move) {
        return store.resources.moved(move);
    }

    /** How many nodes were given without allocatable resources. */
    public int nodesWithoutAllocatable() {
        return store.resources.nodesWithoutAllocatable();
    }

    /** How many pods on known nodes were given without their containers. */
    public int podsWithoutRequests() {
        return store.resources.podsWithoutRequests();
    }

    /** The requests with host ports of the pods on a node, once for each pod. The list must not be changed. */
    public List<PodRequests> ports(int slot) {
        return store.resources.ports(slot);
    }

    /** How much cpu is free on a node, in millicores; negative if it is overfull. */
    public long freeCpu(int slot) {
        return store.resources.free(RequestTable.CPU, slot);
    }

    /** How much memory is free on a node, in bytes; negative if it is overfull. */
    public long freeMemory(int slot) {
        return store.resources.free(RequestTable.MEMORY, slot);
    }

    /** How much cpu the pods on a node count as taking when nodes are scored, in millicores. */
    public long nonZeroCpu(int slot) {
        return store.resources.nonZeroCpu(slot);
    }

    /** How much memory the pods on a node count as taking when nodes are scored, in bytes. */
    public long nonZeroMemory(int slot) {
        return store.resources.nonZeroMemory(slot);
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
    public ResolvedNodes resolve(NodeSubset candidates) {
        return candidates.resolve(store.nodes);
    }

    /** The names of the nodes now. The object is shared until a node is added or removed. */
    public NodeNameTable nodeNames() {
        NodeNameTable known = names;
        if (known == null || known.revision() != store.nodes.revision()) {
            known = known == null ? new NodeNameTable(store.nodes) : known.now(store.nodes);
            names = known;
        }
        return known;
    }

    /** The name of the node in a slot that is in use. */
    public String nameOfNode(int slot) {
        return store.nodes.attributes(slot).name();
    }

    /** The slot of the node with that name, or NONE. */
    public int slotOfNode(String name) {
        return store.nodes.slotOfName(name);
    }

    /** The node with that name, as a value that would make the same node again; null if there is none. */
    public @Nullable NodeObject node(String name) {
        int slot = store.nodes.slotOfName(name);
        if (slot == NodeSlots.NONE) {
            return null;
        }
        NodeSlots.Attributes node = store.nodes.attributes(slot);
        Map<String, String> labels = new HashMap<>();
        for (int at = 0; at < node.labels().length; at += 2) {
            labels.put(text(node.labels()[at]), text(node.labels()[at + 1]));
        }
        return new NodeObject(
                name,
                store.nodes.uid(slot),
                store.nodes.version(slot),
                labels,
                node.taints(),
                node.unschedulable(),
                node.allocatable());
    }

    /** The attributes of the node in a slot that is in use. */
    public NodeSlots.Attributes attributes(int slot) {
        return store.nodes.attributes(slot);
    }

    /** Matches nodes with a term of a node affinity. */
    public AffinityMatcher matcher(NodeTerm term) {
        return new AffinityMatcher(Map.of(), List.of(term), store.strings);
    }

    /** The attributes of all nodes by slot; null if there is no node. */
    public NodeSlots.@Nullable Attributes[] copyOfNodes() {
        return store.nodes.copyOfAttributes();
    }

    /** Whether the slot still has the same node, with the same attributes. */
    public boolean isStill(int slot, NodeSlots.@Nullable Attributes node) {
        return store.nodes.isKnown(slot) && store.nodes.attributes(slot) == node;
    }

    // ---- pods

    /** Adds the pods that a key names to {@code found}: at most one by UID, perhaps several by name. */
    public void findPods(PodKey key, IntArrayList found) {
        store.find(key, found);
    }

    /**
     * Makes {@link #findPods} faster for many keys: loads what it needs into the processor's cache, for all of them at
     * the same time. The result has no meaning.
     */
    public int fetchPods(List<PodKey> keys, int from, int to) {
        return store.pods.fetch(keys, from, to);
    }

    /**
     * The pod that a key names; null if there is none. If several pods have the name, it is the newest of those that
     * count: the successor of a pod whose deletion has not been reported yet.
     */
    public @Nullable StoredPod pod(PodKey key) {
        int newest = newest(key);
        return newest == PodTable.NONE ? null : pod(newest);
    }

    private int newest(PodKey key) {
        IntArrayList found = new IntArrayList();
        store.find(key, found);
        int newest = PodTable.NONE;
        for (int i = 0; i < found.size(); i++) {
            int pod = found.getInt(i);
            if (newest == PodTable.NONE || isNewer(pod, newest)) {
                newest = pod;
            }
        }
        return newest;
    }

    /** The node that a pod is bound to or assumed on; empty if it is pending, null if there is no such pod. */
    public @Nullable String nodeOf(Uid uid) {
        int pod = store.pods.find(uid);
        if (pod == PodTable.NONE) {
            return null;
        }
        int host = store.pods.host(pod);
        return host == PodTable.NONE ? "" : store.hosts.name(host);
    }

    /** The pod that {@link #pod} would name, as a record that would make the same pod again; null if there is none. */
    public @Nullable PodRecord record(PodKey key) {
        int pod = newest(key);
        return pod == PodTable.NONE ? null : record(pod);
    }

    /** The pods that are bound to a node or assumed on it, in no particular order. */
    public List<PodRecord> podsOn(String node) {
        List<PodRecord> pods = new ArrayList<>();
        int slot = store.nodes.slotOfName(node);
        if (slot != NodeSlots.NONE) {
            forEachOn(slot, pod -> pods.add(record(pod)));
        }
        return pods;
    }

    /** Calls {@code visitor} with the id of each pod that is bound to the node in a slot or assumed on it. */
    public void forEachOn(int slot, IntConsumer visitor) {
        int host = store.nodes.hostOf(slot);
        for (int pod = store.podsOnHost.first(host); pod != PodList.NONE; pod = store.podsOnHost.next(pod)) {
            visitor.accept(pod);
        }
    }

    /** Calls {@code visitor} with the id of each pod that counts but is on no known node, as pending ones. */
    public void forEachWithoutNode(IntConsumer visitor) {
        for (int pod = 0; pod < store.pods.limit(); pod++) {
            if (isLive(pod) && counts(pod) && store.slotCountedOn(pod) == NodeSlots.NONE) {
                visitor.accept(pod);
            }
        }
    }

    private PodRecord record(int pod) {
        StoredPod stored = pod(pod);
        PodRecord record = PodRecord.of(new PodObject(
                stored.namespace(),
                stored.name(),
                store.pods.uid(pod),
                store.pods.version(pod),
                stored.labels(),
                stored.nodeName(),
                stored.binding().terminating(),
                stored.binding().finished(),
                requests(pod)));
        record.setTemplate(PodTemplate.of(stored.template(), 0, stored.template().length));
        record.drainability = store.pods.drainability(pod);
        record.goneAt = store.pods.goneAt(pod);
        record.priority = store.pods.priority(pod);
        record.startedAt = store.pods.startedAt(pod);
        record.preempted = store.pods.wasPreempted(pod);
        return record;
    }

    private boolean isNewer(int pod, int than) {
        if (store.pods.counts(pod) != store.pods.counts(than)) {
            return store.pods.counts(pod);
        }
        long version = store.pods.version(than);
        return version != VersionOrder.newest(version, store.pods.version(pod));
    }

    /** A pod by its id. */
    public StoredPod pod(int pod) {
        int labelClass = store.pods.labelClass(pod);
        int host = store.pods.host(pod);
        return new StoredPod(
                uidKey(pod),
                store.classes.namespaceOf(labelClass).name,
                store.pods.name(pod),
                store.classes.labels(labelClass),
                new StoredPod.Binding(
                        host == PodTable.NONE ? "" : store.hosts.name(host),
                        store.pods.is(pod, PodTable.ASSUMED),
                        store.pods.is(pod, PodTable.TERMINATING),
                        store.pods.is(pod, PodTable.FINISHED)),
                store.classes.template(labelClass));
    }

    public boolean isLive(int pod) {
        return store.pods.isLive(pod);
    }

    /** The key of a pod by its UID. */
    public PodKey uidKey(int pod) {
        return PodKey.ofUid(uid(pod));
    }

    /** The key of a pod by its namespace and name. */
    public PodKey nameKey(int pod) {
        return PodKey.ofName(namespace(pod), name(pod));
    }

    public String uid(int pod) {
        return store.pods.uid(pod);
    }

    public String namespace(int pod) {
        return store.classes.namespaceOf(store.pods.labelClass(pod)).name;
    }

    public String name(int pod) {
        return store.pods.name(pod);
    }

    /** The slot on which a pod counts, or NONE. */
    public int slotCountedOn(int pod) {
        return store.slotCountedOn(pod);
    }

    /** The slot of the node from which a pod takes resources, or NONE. */
    public int slotTakenFrom(int pod) {
        return store.slotTakenFrom(pod);
    }

    /** Whether a pod's phase is Succeeded or Failed. */
    public boolean isFinished(int pod) {
        return store.pods.is(pod, PodTable.FINISHED);
    }

    /** What a pod takes from its node. */
    public PodRequests requests(int pod) {
        return store.requests.get(store.pods.requests(pod));
    }

    /** What happens to a pod when its node is removed. */
    public Drainability drainability(int pod) {
        return store.pods.drainability(pod);
    }

    /** See {@link PodRecord#goneAt}. */
    public long goneAt(int pod) {
        return store.pods.goneAt(pod);
    }

    public int priority(int pod) {
        return store.pods.priority(pod);
    }

    /** See {@link PodRecord#startedAt}. */
    public long startedAt(int pod) {
        return store.pods.startedAt(pod);
    }

    /** Whether a pod counts when it is on a known node: it is neither terminating nor finished. */
    public boolean counts(int pod) {
        return store.pods.counts(pod);
    }

    /** Whether a pod is bound to a node or assumed on one, known or not. */
    public boolean isPlaced(int pod) {
        return store.pods.host(pod) != PodTable.NONE;
    }

    /** The label class of a pod, which stays the same until the pod changes. */
    public int labelClass(int pod) {
        return store.pods.labelClass(pod);
    }

    /** Whether the pods of a label class are in the namespace of a group and the group's selector matches them. */
    public boolean isClassMatched(int labelClass, SpreadGroup by) {
        return store.classes.namespaceOf(labelClass) == by.namespace
                && store.classes.isMatched(labelClass, by.selector.requirements);
    }

    /**
     * Calls {@code visitor} with each pod that a group's selector matches, the pods of a label class one after another.
     *
     * @return false, without calling it for all, if that takes a look at more than {@code most} classes and pods
     */
    public boolean forEachMatched(SpreadGroup by, int most, IntConsumer visitor) {
        ClassPositions positions = by.namespace.classes();
        int looks = positions.limit();
        for (int position = 0; position < positions.limit() && looks <= most; position++) {
            int labelClass = positions.at(position);
            if (labelClass != LabelClasses.NONE && store.classes.isMatched(labelClass, by.selector.requirements)) {
                looks += store.classes.pods(labelClass);
                int pod = looks > most ? PodList.NONE : store.podsInClass.first(labelClass);
                for (; pod != PodList.NONE; pod = store.podsInClass.next(pod)) {
                    visitor.accept(pod);
                }
            }
        }
        return looks <= most;
    }

    /** The id of a label class's template; classes with equal templates have the same. */
    public int templateId(int labelClass) {
        return store.classes.templateId(labelClass);
    }

    /** The id of the value of a label class's label, or StringTable.NONE if it does not have the key. */
    public int labelValue(int labelClass, int key) {
        return store.classes.valueOf(labelClass, key);
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

    // ---- owners and budgets

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

    /** All budgets. The collection must not be kept. */
    public Collection<DisruptionBudget> budgets() {
        return store.budgets.all();
    }

    /** The labels of a label class. */
    public Map<String, String> labels(int labelClass) {
        return store.classes.labels(labelClass);
    }

    // ---- texts

    /** The id of a text, or StringTable.NONE if nothing in the cluster has it. */
    public int findText(String text) {
        return store.strings.find(text);
    }

    /** The text of an id that is in use. */
    public String text(int id) {
        return store.strings.get(id);
    }
}
