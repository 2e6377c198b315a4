package io.evenkeel.engine.overlay;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.FitOnNode;
import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.IntHashSet;
import org.jspecify.annotations.Nullable;

/**
 * The pods of one overlay, as the cluster has them. They are looked up in slices, under the engine's lock.
 *
 * <pre>
 *   slots[i]     the slot on which entry i, a removed or added pod, counts; NONE if it counts nowhere
 *   sources[i]   its label class or, if it is added in full, ~j: it is objects[j]
 *   takenFrom[i] the slot of the node from which entry i takes resources, even if it is terminating; or NONE
 *   requests[i]  what it takes
 *   on           the entries of added pods; the others are removed
 *   taken        the pods of the cluster that are removed, some of them to be added again; each has at most one
 *                entry that removes it
 *   entryOfPod, entryOfUid   the last entry that adds a pod; by its id, or by its UID if the cluster does not
 *                have it. The slots of earlier ones are NONE.
 *   found        the pods that the last key named
 *   watched      keys that may find more pods later
 * </pre>
 */
public final class OverlaidPods implements OverlayLookUp.Part {
    private static final int NO_ENTRY = -1;
    private static final int FETCHED_AT_ONCE = 64;

    /** Room is allocated at once for at most this many pods. */
    private static final int MAX_EXPECTED = 1_024;

    private final Overlay overlay;
    private final String judgedNode;
    private int nextWithout;
    private int fetchedUpTo;

    /** Keeps the compiler from eliminating the reads of a fetch. */
    @SuppressWarnings("UnusedVariable")
    private int fetched;

    private int nextAdded;
    private final IntArrayList slots;
    private final IntArrayList sources;
    private final IntArrayList takenFrom = new IntArrayList();
    private final List<PodRequests> requests = new ArrayList<>();
    private final BitSet on = new BitSet();
    private final IntHashSet taken;
    private final List<PodObject> objects = new ArrayList<>();
    private @Nullable Int2IntHashMap entryOfPod;
    private @Nullable Map<PodKey, Integer> entryOfUid;
    private final List<PodKey> watched = new ArrayList<>();
    private final IntArrayList found = new IntArrayList();
    private final Set<PodKey> unknown = new LinkedHashSet<>();
    private boolean takesOff;

    /** @param judgedNode the node on which pods are put that name none; empty for no node */
    public OverlaidPods(Overlay overlay, String judgedNode) {
        this.overlay = overlay;
        this.judgedNode = judgedNode;
        int expected = Math.min(
                MAX_EXPECTED, overlay.without().size() + 2 * overlay.added().size());
        slots = new IntArrayList(Math.max(1, expected), IntArrayList.DEFAULT_NULL_VALUE);
        sources = new IntArrayList(Math.max(1, expected), IntArrayList.DEFAULT_NULL_VALUE);
        taken = new IntHashSet(2 * expected);
    }

    @Override
    public int lookUp(ClusterView cluster, int most) {
        int looked = 0;
        while (looked < most && nextWithout < overlay.without().size()) {
            looked++;
            if (nextWithout == fetchedUpTo) {
                fetchedUpTo = Math.min(overlay.without().size(), nextWithout + FETCHED_AT_ONCE);
                fetched += cluster.fetchPods(overlay.without(), nextWithout, fetchedUpTo);
            }
            find(cluster, overlay.without().get(nextWithout++));
            for (int i = 0; i < found.size(); i++) {
                int pod = found.getInt(i);
                takesOff |= cluster.slotCountedOn(pod) != NodeSlots.NONE;
                takeOff(cluster, pod);
            }
        }
        while (looked < most && nextAdded < overlay.added().size()) {
            looked++;
            Overlay.Added added = overlay.added().get(nextAdded++);
            if (added instanceof Overlay.InFull inFull) {
                putOn(cluster, inFull.pod());
            } else if (added instanceof Overlay.Known known) {
                find(cluster, known.pod());
                for (int i = 0; i < found.size(); i++) {
                    putOn(cluster, found.getInt(i), known.node());
                }
            }
        }
        return looked;
    }

    @Override
    public void addTo(BitSet pods, Set<PodKey> keys) {
        taken.forEachInt(pods::set);
        keys.addAll(watched);
    }

    /** The pods that the overlay refers to and that the cluster does not have, each once. */
    public List<PodKey> unknown() {
        return List.copyOf(unknown);
    }

    /** Whether the overlay removes any pod that counts somewhere, other than to add it again. */
    public boolean takesOff() {
        return takesOff;
    }

    /** Sets {@code found} to the pods that a key names. */
    private void find(ClusterView cluster, PodKey key) {
        found.clear();
        cluster.findPods(key, found);
        if (found.isEmpty()) {
            unknown.add(key);
        }
        // A UID that was found stays valid until its pod changes. Another pod may get a name that was found.
        if (found.isEmpty() || !key.isByUid()) {
            watched.add(key);
        }
    }

    /** Removes a pod of the cluster, unless that is already done. */
    private void takeOff(ClusterView cluster, int pod) {
        if (taken.add(pod)) {
            int from = cluster.slotTakenFrom(pod);
            if (from != NodeSlots.NONE) {
                addEntry(cluster.slotCountedOn(pod), cluster.labelClass(pod), from, cluster.requests(pod));
            }
        }
    }

    private void addEntry(int slot, int source, int from, PodRequests taking) {
        slots.addInt(slot);
        sources.addInt(source);
        takenFrom.addInt(from);
        requests.add(taking);
    }

    private void putOn(ClusterView cluster, PodObject pod) {
        int entry = slots.size();
        if (!pod.uid().isEmpty()) {
            PodKey key = PodKey.ofUid(pod.uid());
            found.clear();
            cluster.findPods(key, found);
            if (found.isEmpty()) {
                watched.add(key);
                replace(key, entry);
            } else {
                int same = found.getInt(0);
                takeOff(cluster, same);
                entry = slots.size();
                replace(same, entry);
            }
        }
        String node = pod.nodeName().isEmpty() ? judgedNode : pod.nodeName();
        int slot = pod.finished() ? NodeSlots.NONE : cluster.slotOfNode(node);
        on.set(entry);
        addEntry(pod.terminating() ? NodeSlots.NONE : slot, ~objects.size(), slot, pod.requests());
        objects.add(pod);
    }

    private void putOn(ClusterView cluster, int pod, String node) {
        takeOff(cluster, pod);
        int entry = slots.size();
        replace(pod, entry);
        on.set(entry);
        int slot = cluster.isFinished(pod) ? NodeSlots.NONE : slotOf(cluster, pod, node);
        addEntry(cluster.counts(pod) ? slot : NodeSlots.NONE, cluster.labelClass(pod), slot, cluster.requests(pod));
    }

    private int slotOf(ClusterView cluster, int pod, String node) {
        if (!node.isEmpty()) {
            return cluster.slotOfNode(node);
        }
        return cluster.isPlaced(pod) ? cluster.slotTakenFrom(pod) : cluster.slotOfNode(judgedNode);
    }

    /** Makes {@code entry} the one that adds a pod that the cluster does not have. */
    private void replace(PodKey key, int entry) {
        if (entryOfUid == null) {
            entryOfUid = new HashMap<>();
        }
        Integer before = entryOfUid.put(key, entry);
        if (before != null) {
            cancel(before);
        }
    }

    /** Makes {@code entry} the one that adds a pod of the cluster. */
    private void replace(int pod, int entry) {
        if (entryOfPod == null) {
            entryOfPod = new Int2IntHashMap(NO_ENTRY);
        }
        int before = entryOfPod.put(pod, entry);
        if (before != NO_ENTRY) {
            cancel(before);
        }
    }

    private void cancel(int entry) {
        slots.setInt(entry, NodeSlots.NONE);
        takenFrom.setInt(entry, NodeSlots.NONE);
    }

    /** Adds and removes all pods in a fork of a fit. */
    void shift(NodeFit fork) {
        for (int entry = 0; entry < entries(); entry++) {
            if (takenFrom.getInt(entry) != NodeSlots.NONE) {
                fork.shift(takenFrom.getInt(entry), requests.get(entry), isOn(entry));
            }
        }
        fork.testShifted();
    }

    /** Adds and removes the pods of one node. */
    public void shift(FitOnNode fit, int node) {
        for (int entry = 0; entry < entries(); entry++) {
            if (takenFrom.getInt(entry) == node) {
                fit.shift(requests.get(entry), isOn(entry));
            }
        }
    }

    /** Whether a pod of the cluster is removed, perhaps to be added again. Call it once all pods are looked up. */
    public boolean takes(int pod) {
        return taken.contains(pod);
    }

    /** How many pods are added, or added again, that the group counts. Called under the lock of the look-up. */
    public int addedTo(SpreadGroup group, ClusterView cluster) {
        int added = 0;
        for (int entry = 0; entry < entries(); entry++) {
            boolean eligible = slot(entry) != NodeSlots.NONE && group.domains.eligibility.holds(slot(entry));
            added += isOn(entry) && eligible && isMatched(cluster, entry, group) ? 1 : 0;
        }
        return added;
    }

    // ---- what CountShifts reads

    boolean isEmpty() {
        return slots.isEmpty();
    }

    int entries() {
        return slots.size();
    }

    /** The slot on which an entry counts, or NONE. */
    int slot(int entry) {
        return slots.getInt(entry);
    }

    /** Whether the entry's pod is added; otherwise it is removed. */
    boolean isOn(int entry) {
        return on.get(entry);
    }

    /** Whether the group counts the entry's pod if its node is eligible. Called under the lock of the look-up. */
    boolean isMatched(ClusterView cluster, int entry, SpreadGroup by) {
        int source = sources.getInt(entry);
        if (source >= 0) {
            return cluster.isClassMatched(source, by);
        }
        PodObject pod = objects.get(~source);
        return pod.namespace().equals(by.namespace.name) && by.selector.source.matches(pod.labels());
    }
}
