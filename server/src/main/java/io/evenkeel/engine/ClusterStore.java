package io.evenkeel.engine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as it was told: nodes, pods and owners by UID, with what is needed to build a group at first sight and to undo an event. Tells the index what counts where.
 *
 * <p>Each change answers whether it changed anything that an answer or a status could show.
 */
final class ClusterStore {
    /** Never expires. */
    static final long FOR_EVER = Long.MAX_VALUE;

    private static final long NEVER_ASSUMED = Long.MIN_VALUE;

    final StringTable strings = new StringTable();
    final NodeTable nodes = new NodeTable();
    final LabelClasses classes = new LabelClasses(strings);
    final PodTable pods = new PodTable(strings, classes);
    final PodList podsOnHost = new PodList();
    final PodList podsInClass = new PodList();
    final OwnerTable owners = new OwnerTable();
    final SpreadIndex index;

    private final Map<String, Namespace> namespaces = new HashMap<>();
    private int namespaceIds;
    private final Tombstones tombstones;
    private final Long2LongHashMap assumedUntil = new Long2LongHashMap(NEVER_ASSUMED);
    private @Nullable Named named;
    private int countedPods;

    /** What a snapshot under way has named. */
    private static final class Named {
        final Set<String> nodes = new HashSet<>();
        final BitSet pods = new BitSet();
        final Set<String> owners = new HashSet<>();
    }

    ClusterStore(int wideFrom, int tombstoneLimit) {
        index = new SpreadIndex(strings, nodes, pods, podsOnHost, classes, wideFrom);
        tombstones = new Tombstones(tombstoneLimit);
    }

    int countedPods() {
        return countedPods;
    }

    int assumedPods() {
        return assumedUntil.size();
    }

    /** Pods bound to or assumed on a name that no node has. Walks all pods. */
    int podsOnUnknownNodes() {
        int bound = 0;
        for (int pod = 0; pod < pods.limit(); pod++) {
            if (pods.isLive(pod)
                    && pods.host(pod) != PodTable.NONE
                    && nodes.slotOfHost(pods.host(pod)) == NodeTable.NONE) {
                bound++;
            }
        }
        return bound;
    }

    /** The slot that a pod counts on, or NONE. */
    int slotCountedOn(int pod) {
        int host = pods.host(pod);
        return host == PodTable.NONE || !pods.counts(pod) ? NodeTable.NONE : nodes.slotOfHost(host);
    }

    /** The pods of a UID, or of a namespace and name, that count on a node. */
    List<Integer> placedPods(PodKey key) {
        List<Integer> placed = new ArrayList<>();
        for (int pod : find(key)) {
            if (slotCountedOn(pod) != NodeTable.NONE) {
                placed.add(pod);
            }
        }
        return placed;
    }

    /** The pods of a UID, or of a namespace and name. */
    List<Integer> find(PodKey key) {
        List<Integer> found = new ArrayList<>();
        if (!key.uid().isEmpty()) {
            int pod = pods.find(key.uid());
            if (pod != PodTable.NONE) {
                found.add(pod);
            }
            return found;
        }
        Namespace namespace = namespaces.get(key.namespace());
        int pod = namespace == null ? PodTable.NONE : pods.findByName(namespace, key.name(), PodTable.NONE);
        while (namespace != null && pod != PodTable.NONE) {
            found.add(pod);
            pod = pods.findByName(namespace, key.name(), pod);
        }
        return found;
    }

    /** Counts a placed pod out, in thought, and in again; the writer must do both before it lets anyone else look. */
    void countAgain(int pod, boolean in) {
        index.podCounts(pods.labelClass(pod), slotCountedOn(pod), in);
    }

    /** The namespace of that name; made where there is none. */
    Namespace namespace(String name) {
        return namespaces.computeIfAbsent(name, key -> new Namespace(namespaceIds++, key));
    }

    @Nullable
    Namespace findNamespace(String name) {
        return namespaces.get(name);
    }

    /** Drops a namespace that nothing is left in. */
    void dropIfEmpty(Namespace namespace) {
        if (namespace.isEmpty()) {
            namespaces.remove(namespace.name);
        }
    }

    // ---- nodes

    boolean apply(Change change, NodeObject node) {
        int slot = nodes.slotOfUid(node.uid());
        if (change == Change.DELETED) {
            tombstones.bury(
                    node.uid(), newest(slot == NodeTable.NONE ? 0 : nodes.version(slot), node.resourceVersion()));
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
                : isStale(change, nodes.version(slot), node.resourceVersion())) {
            return false;
        }
        if (slot != NodeTable.NONE && !nodes.attributes(slot).name().equals(node.name())) {
            removeNode(slot);
            slot = NodeTable.NONE;
        }
        int[] labels = LabelIds.acquire(node.labels(), strings);
        if (slot == NodeTable.NONE) {
            slot = nodes.slotOfName(node.name());
            if (slot != NodeTable.NONE) {
                tombstones.bury(nodes.uid(slot), nodes.version(slot));
                nodes.setUid(slot, node.uid());
            }
        }
        NodeTable.Attributes next = new NodeTable.Attributes(node, labels);
        boolean changed = true;
        if (slot == NodeTable.NONE) {
            slot = addNode(node, next);
        } else {
            NodeTable.Attributes old = nodes.attributes(slot);
            changed = !old.hasSame(next);
            if (changed) {
                index.nodeBecomes(slot, next);
                nodes.setAttributes(slot, next);
                index.settle();
                LabelIds.release(old.labels(), strings);
            } else {
                LabelIds.release(labels, strings);
            }
        }
        nodes.setVersion(slot, node.resourceVersion());
        return changed;
    }

    private int addNode(NodeObject node, NodeTable.Attributes next) {
        int host = nodes.acquireHost(node.name());
        int slot = nodes.occupy(host, node.uid());
        index.growTo(nodes.capacity());
        index.nodeBecomes(slot, next);
        nodes.setAttributes(slot, next);
        index.settle();
        countedPods += countingOn(host);
        return slot;
    }

    private void removeNode(int slot) {
        NodeTable.Attributes old = nodes.attributes(slot);
        int host = nodes.hostOf(slot);
        index.nodeBecomes(slot, null);
        nodes.free(slot);
        index.settle();
        LabelIds.release(old.labels(), strings);
        countedPods -= countingOn(host);
        dropHostIfBare(host);
    }

    private int countingOn(int host) {
        int counting = 0;
        for (int pod = podsOnHost.first(host); pod != PodList.NONE; pod = podsOnHost.next(pod)) {
            counting += pods.counts(pod) ? 1 : 0;
        }
        return counting;
    }

    private void dropHostIfBare(int host) {
        if (nodes.slotOfHost(host) == NodeTable.NONE && podsOnHost.size(host) == 0) {
            nodes.dropHost(host);
        }
    }

    // ---- pods

    boolean apply(Change change, PodObject pod) {
        int id = pods.find(pod.uid());
        if (change == Change.DELETED) {
            tombstones.bury(pod.uid(), newest(id == PodTable.NONE ? 0 : pods.version(id), pod.resourceVersion()));
            if (id == PodTable.NONE) {
                return false;
            }
            removePod(id);
            return true;
        }
        if (id == PodTable.NONE) {
            if (!tombstones.admits(pod.uid(), change, pod.resourceVersion())) {
                return false;
            }
            id = pods.add(pod.uid(), classOf(pod), pod.name());
            podsInClass.add(pods.labelClass(id), id);
            place(id, pod);
            name(id);
            return true;
        }
        name(id);
        if (!pods.is(id, PodTable.UNSEEN) && isStale(change, pods.version(id), pod.resourceVersion())) {
            return false;
        }
        return update(id, pod);
    }

    private void name(int pod) {
        if (named != null) {
            named.pods.set(pod);
        }
    }

    private int classOf(PodObject pod) {
        return classes.acquire(namespace(pod.namespace()), pod.labels());
    }

    /** Takes over what an event says of a pod that is there. */
    private boolean update(int id, PodObject pod) {
        boolean keepsAssumedHost =
                pods.is(id, PodTable.ASSUMED) && pod.nodeName().isEmpty();
        int oldClass = pods.labelClass(id);
        int newClass = findClass(pod);
        boolean sameHost = keepsAssumedHost || hostIs(id, pod.nodeName());
        boolean same = newClass == oldClass
                && sameHost
                && pods.is(id, PodTable.TERMINATING) == pod.terminating()
                && pods.is(id, PodTable.FINISHED) == pod.finished()
                && (keepsAssumedHost || !pods.is(id, PodTable.ASSUMED))
                && !pods.is(id, PodTable.UNSEEN)
                && pods.name(id).equals(pod.name());
        pods.setVersion(id, pod.resourceVersion());
        if (same) {
            return false;
        }
        int assumedHost = keepsAssumedHost ? pods.host(id) : PodTable.NONE;
        String keptNode = assumedHost == PodTable.NONE ? pod.nodeName() : nodes.hostName(assumedHost);
        unplace(id);
        rename(id, pod);
        pods.set(id, PodTable.UNSEEN, false);
        if (!keepsAssumedHost) {
            endAssumption(id);
        }
        place(id, keptNode, pod.terminating(), pod.finished());
        return true;
    }

    /** Gives a pod that is on no host the namespace, labels and name of {@code pod}. */
    private void rename(int id, PodObject pod) {
        int oldClass = pods.labelClass(id);
        int newClass = classOf(pod);
        pods.rename(id, newClass, pod.name());
        if (newClass != oldClass) {
            podsInClass.remove(oldClass, id);
            podsInClass.add(newClass, id);
            dropClassIfBare(oldClass);
        }
    }

    private int findClass(PodObject pod) {
        Namespace namespace = namespaces.get(pod.namespace());
        return namespace == null ? LabelClasses.NONE : classes.find(namespace, pod.labels());
    }

    private boolean hostIs(int id, String nodeName) {
        int host = pods.host(id);
        return host == PodTable.NONE ? nodeName.isEmpty() : !nodeName.isEmpty() && host == nodes.findHost(nodeName);
    }

    private void place(int id, PodObject pod) {
        pods.setVersion(id, pod.resourceVersion());
        place(id, pod.nodeName(), pod.terminating(), pod.finished());
    }

    /** Puts a pod that is on no host on that of {@code nodeName}, where that is not empty. */
    private void place(int id, String nodeName, boolean terminating, boolean finished) {
        pods.set(id, PodTable.TERMINATING, terminating);
        pods.set(id, PodTable.FINISHED, finished);
        if (!nodeName.isEmpty()) {
            int host = nodes.acquireHost(nodeName);
            pods.setHost(id, host);
            podsOnHost.add(host, id);
            countOnHost(id, host, true);
        }
    }

    private void unplace(int id) {
        int host = pods.host(id);
        if (host != PodTable.NONE) {
            countOnHost(id, host, false);
            podsOnHost.remove(host, id);
            pods.setHost(id, PodTable.NONE);
            dropHostIfBare(host);
        }
    }

    private void countOnHost(int id, int host, boolean in) {
        int slot = nodes.slotOfHost(host);
        if (slot != NodeTable.NONE && pods.counts(id)) {
            countedPods += in ? 1 : -1;
            index.podCounts(pods.labelClass(id), slot, in);
        }
    }

    private void removePod(int id) {
        unplace(id);
        endAssumption(id);
        int labelClass = pods.labelClass(id);
        podsInClass.remove(labelClass, id);
        pods.remove(id);
        dropClassIfBare(labelClass);
        if (named != null) {
            named.pods.clear(id);
        }
    }

    private void dropClassIfBare(int labelClass) {
        if (podsInClass.size(labelClass) == 0) {
            Namespace namespace = classes.namespaceOf(labelClass);
            classes.drop(labelClass);
            dropIfEmpty(namespace);
        }
    }

    // ---- assumptions

    /**
     * Counts a pod on a node before the watch shows it bound.
     *
     * @param until on the engine's clock, or {@link #FOR_EVER}
     */
    Assumption assume(PodObject pod, String node, long until) {
        int id = pods.find(pod.uid());
        if (id == PodTable.NONE) {
            if (tombstones.holds(pod.uid())) {
                return Assumption.DELETED;
            }
            id = pods.add(pod.uid(), classOf(pod), pod.name());
            podsInClass.add(pods.labelClass(id), id);
            pods.set(id, PodTable.UNSEEN, true);
        } else if (pods.host(id) != PodTable.NONE && !pods.is(id, PodTable.ASSUMED)) {
            return Assumption.ALREADY_BOUND;
        } else {
            unplace(id);
            if (pods.is(id, PodTable.UNSEEN)) {
                rename(id, pod);
            }
        }
        pods.set(id, PodTable.ASSUMED, true);
        assumedUntil.put(id, until);
        boolean unseen = pods.is(id, PodTable.UNSEEN);
        place(
                id,
                node,
                unseen ? pod.terminating() : pods.is(id, PodTable.TERMINATING),
                unseen ? pod.finished() : pods.is(id, PodTable.FINISHED));
        return Assumption.COUNTED;
    }

    /** Takes an assumption back; answers whether there was one. */
    boolean forget(String uid) {
        int id = pods.find(uid);
        if (id == PodTable.NONE || !pods.is(id, PodTable.ASSUMED)) {
            return false;
        }
        if (pods.is(id, PodTable.UNSEEN)) {
            removePod(id);
        } else {
            unplace(id);
            endAssumption(id);
        }
        return true;
    }

    /** Takes back the assumptions whose time has come; answers how many. */
    int expire(long now) {
        List<String> due = new ArrayList<>();
        assumedUntil.forEachLong((id, until) -> {
            if (until != FOR_EVER && until - now <= 0) {
                due.add(pods.uid((int) id));
            }
        });
        due.forEach(this::forget);
        return due.size();
    }

    private void endAssumption(int id) {
        if (pods.is(id, PodTable.ASSUMED)) {
            pods.set(id, PodTable.ASSUMED, false);
            assumedUntil.remove(id);
        }
    }

    // ---- owners

    boolean apply(Change change, OwnerObject owner) {
        OwnerObject stored = owners.find(owner.uid());
        if (change == Change.DELETED) {
            tombstones.bury(
                    owner.uid(), newest(stored == null ? 0 : stored.resourceVersion(), owner.resourceVersion()));
            return owners.remove(owner.uid());
        }
        if (named != null) {
            named.owners.add(owner.uid());
        }
        if (stored == null
                ? !tombstones.admits(owner.uid(), change, owner.resourceVersion())
                : isStale(change, stored.resourceVersion(), owner.resourceVersion())) {
            return false;
        }
        OwnerObject namesake = owners.namesake(owner);
        if (namesake != null && !namesake.uid().equals(owner.uid())) {
            tombstones.bury(namesake.uid(), namesake.resourceVersion());
        }
        return owners.put(owner);
    }

    // ---- snapshots

    /** From now on what is named is noted. */
    void beginSnapshot() {
        named = new Named();
    }

    /** Removes what has not been named since the snapshot began; answers how many. */
    int endSnapshot() {
        Named seen = named;
        if (seen == null) {
            throw new IllegalStateException("no snapshot is under way");
        }
        named = null;
        int removed = 0;
        for (int pod = 0; pod < pods.limit(); pod++) {
            if (pods.isLive(pod) && !seen.pods.get(pod) && !pods.is(pod, PodTable.UNSEEN)) {
                removePod(pod);
                removed++;
            }
        }
        for (String uid : owners.uids()) {
            if (!seen.owners.contains(uid)) {
                owners.remove(uid);
                removed++;
            }
        }
        for (int slot = nodes.limit() - 1; slot >= 0; slot--) {
            if (nodes.isKnown(slot) && !seen.nodes.contains(nodes.uid(slot))) {
                removeNode(slot);
                removed++;
            }
        }
        return removed;
    }

    /** The snapshot broke off: nothing is removed. */
    void abandonSnapshot() {
        named = null;
    }

    boolean isSnapshotUnderWay() {
        return named != null;
    }

    private static boolean isStale(Change change, long stored, long told) {
        return change != Change.LISTED && stored != 0 && told != 0 && Long.compareUnsigned(told, stored) <= 0;
    }

    private static long newest(long stored, long told) {
        return Long.compareUnsigned(stored, told) >= 0 ? stored : told;
    }
}
