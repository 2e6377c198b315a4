package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeResources;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.RequestTable;
import io.evenkeel.engine.memory.IndexPart;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.Reason;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes on which pods with some requests fit, by kube-scheduler's filters NodeResourcesFit and NodePorts. Shared by
 * all pods with these requests.
 *
 * <pre>
 *   kind k          what is compared: "pods", then the resources that are asked for, in kube-scheduler's order
 *   lacking[k]      the slots that have less of it free than is asked for
 *   fitting         the slots that lack nothing
 *   possible        the slots that would have enough of each resource that they lack without their pods; "pods" is not
 *                   compared here
 *   portsFree       the slots on which no pod has a port that conflicts
 * </pre>
 *
 * Invariant: below {@code upTo} of {@link NodeResources#moves}, all moves are in these sets. A reader that finds them
 * out of date brings them up to date itself, so an event costs nothing extra however many different requests there are.
 * Readers hold the engine's lock, so the sets then stay as they are until they release it.
 *
 * <p>A fork has its own sets and its own free amounts, does not follow the cluster, and belongs to one thread.
 */
public final class NodeFit extends IndexPart {
    private static final long NEVER = -1;

    private final PodRequests requests;
    private final NodeSlots nodes;
    private final NodeResources resources;
    private final RequestTable numbers;
    private final int[] resourceOf;
    private final long[] asked;
    private final long[][] lacking;
    private long[] fitting = {};
    private long[] possible = {};
    private long[] portsFree = {};
    private volatile long upTo = NEVER;
    private long @Nullable [][] ownFree;
    private final Int2ObjectHashMap<List<PodRequests>> ownPorts = new Int2ObjectHashMap<>();
    private final BitSet shifted = new BitSet();

    NodeFit(PodRequests requests, NodeSlots nodes, NodeResources resources, RequestTable numbers) {
        this.requests = requests;
        this.nodes = nodes;
        this.resources = resources;
        this.numbers = numbers;
        int kinds = requests.amounts().size() + 1;
        resourceOf = new int[kinds];
        asked = new long[kinds];
        lacking = new long[kinds][0];
        resourceOf[0] = RequestTable.PODS;
        asked[0] = 1;
        for (int k = 1; k < kinds; k++) {
            PodRequests.Amount amount = requests.amounts().get(k - 1);
            resourceOf[k] = numbers.findResource(amount.resource());
            asked[k] = amount.amount();
        }
    }

    /** Brings the sets up to date. Call it in each hold of the lock, before they are read. */
    public void catchUp() {
        if (ownFree == null && upTo != resources.moves()) {
            follow();
        }
    }

    private synchronized void follow() {
        long now = resources.moves();
        if (upTo == now) {
            return;
        }
        boolean all = findResources() || upTo == NEVER || !resources.remembers(upTo);
        grow();
        if (all) {
            for (int slot = 0; slot < nodes.limit(); slot++) {
                test(slot);
            }
        } else {
            for (long move = upTo; move < now; move++) {
                test(resources.moved(move));
            }
        }
        upTo = now;
    }

    /** Looks up resources that no node or pod had named before; returns whether one was found. */
    private boolean findResources() {
        boolean any = false;
        for (int k = 1; k < resourceOf.length; k++) {
            if (resourceOf[k] == RequestTable.NONE) {
                resourceOf[k] = numbers.findResource(resource(k));
                any |= resourceOf[k] != RequestTable.NONE;
            }
        }
        return any;
    }

    private void grow() {
        int capacity = resources.capacity();
        fitting = NodeBits.grow(fitting, capacity);
        possible = NodeBits.grow(possible, capacity);
        portsFree = NodeBits.grow(portsFree, capacity);
        for (int k = 0; k < lacking.length; k++) {
            lacking[k] = NodeBits.grow(lacking[k], capacity);
        }
    }

    private void test(int slot) {
        testFree(slot);
        if (hasPorts()) {
            NodeBits.assign(portsFree, slot, FitOnNode.arePortsFree(requests, resources.ports(slot)));
        }
    }

    private void testFree(int slot) {
        boolean fits = true;
        for (int k = 0; k < lacking.length; k++) {
            boolean lacks = asked[k] > free(k, slot);
            NodeBits.assign(lacking[k], slot, lacks);
            fits &= !lacks;
        }
        NodeBits.assign(fitting, slot, fits);
        NodeBits.assign(possible, slot, fits || isPossible(slot));
    }

    private boolean isPossible(int slot) {
        NodeAllocatable has = allocatable(slot);
        for (int k = 1; k < asked.length; k++) {
            if (NodeBits.get(lacking[k], slot) && asked[k] > has.amount(resource(k))) {
                return false;
            }
        }
        return true;
    }

    private NodeAllocatable allocatable(int slot) {
        NodeAllocatable has = nodes.isKnown(slot) ? nodes.attributes(slot).allocatable() : null;
        return has == null ? NodeAllocatable.NOTHING : has;
    }

    /** The first rule that excludes one node; null if the pod fits. Reads what is free, so it needs no catch-up. */
    public @Nullable Reason reasonAt(int slot) {
        if (hasPorts() && !FitOnNode.arePortsFree(requests, takenPorts(slot))) {
            return Reason.HOST_PORTS;
        }
        Reason reason = null;
        for (int k = 0; k < asked.length; k++) {
            if (asked[k] > free(k, slot)) {
                if (k > 0 && asked[k] > allocatable(slot).amount(resource(k))) {
                    return Reason.RESOURCES_OF_NODE;
                }
                reason = Reason.FREE_RESOURCES;
            }
        }
        return reason;
    }

    // ---- forks

    /** A copy in the present state, in which pods can be shifted. It needs no lock. Call it under the lock. */
    public NodeFit fork() {
        catchUp();
        NodeFit fork = new NodeFit(requests, nodes, resources, numbers);
        fork.fitting = fitting.clone();
        fork.possible = possible.clone();
        fork.portsFree = portsFree.clone();
        long[][] free = new long[asked.length][];
        for (int k = 0; k < asked.length; k++) {
            fork.lacking[k] = lacking[k].clone();
            free[k] = new long[nodes.limit()];
            for (int slot = 0; slot < nodes.limit(); slot++) {
                free[k][slot] = free(k, slot);
            }
        }
        fork.ownFree = free;
        if (hasPorts()) {
            for (int slot = 0; slot < nodes.limit(); slot++) {
                List<PodRequests> taken = takenPorts(slot);
                if (!taken.isEmpty()) {
                    fork.ownPorts.put(slot, new ArrayList<>(taken));
                }
            }
        }
        return fork;
    }

    /** Adds a pod to a node of a fork, or removes it. {@link #testShifted} must follow. */
    public void shift(int slot, PodRequests of, boolean in) {
        long[][] free = ownFree;
        if (free == null) {
            throw new IllegalStateException("only forks can be changed");
        }
        int more = in ? -1 : 1;
        free[0][slot] += more;
        for (int k = 1; k < free.length; k++) {
            free[k][slot] += more * of.amount(resource(k));
        }
        if (hasPorts() && !of.hostPorts().isEmpty()) {
            FitOnNode.shiftPorts(ownPorts.computeIfAbsent(slot, none -> new ArrayList<>()), of, in);
        }
        shifted.set(slot);
    }

    /** Brings the sets of a fork up to date after shifts. Call it under the lock. */
    public void testShifted() {
        for (int slot = shifted.nextSetBit(0); slot >= 0; slot = shifted.nextSetBit(slot + 1)) {
            testFree(slot);
            if (hasPorts()) {
                NodeBits.assign(portsFree, slot, FitOnNode.arePortsFree(requests, ownPorts(slot)));
            }
        }
        shifted.clear();
    }

    /** Whether the pod fits on one node, as a copy. Call it under the lock. */
    public FitOnNode on(int slot) {
        long[] free = new long[asked.length];
        for (int k = 0; k < asked.length; k++) {
            free[k] = free(k, slot);
        }
        return new FitOnNode(requests, allocatable(slot), asked, free, takenPorts(slot));
    }

    private List<PodRequests> takenPorts(int slot) {
        return ownFree == null ? resources.ports(slot) : ownPorts(slot);
    }

    private List<PodRequests> ownPorts(int slot) {
        List<PodRequests> taken = ownPorts.get(slot);
        return taken == null ? List.of() : taken;
    }

    /** Whether any host ports are asked for; otherwise {@link #portsFree} has no meaning. */
    public boolean hasPorts() {
        return !requests.hostPorts().isEmpty();
    }

    // ---- what passes read, after catchUp

    public long[] portsFree() {
        return portsFree;
    }

    public long[] fitting() {
        return fitting;
    }

    public long[] possible() {
        return possible;
    }

    /** How many kinds there are. */
    public int kinds() {
        return asked.length;
    }

    /** The name of the resource of a kind. */
    public String resource(int kind) {
        return kind == 0 ? "pods" : requests.amounts().get(kind - 1).resource();
    }

    /** kube-scheduler's message for nodes that lack a kind. */
    public String message(int kind) {
        return FitOnNode.message(requests, kind);
    }

    public long[] lacking(int kind) {
        return lacking[kind];
    }

    /** How much of a kind is asked for. */
    public long asked(int kind) {
        return asked[kind];
    }

    /** How much of a kind is free on a node. */
    public long free(int kind, int slot) {
        long[][] own = ownFree;
        if (own != null) {
            return own[kind][slot];
        }
        int known = resourceOf[kind];
        return resources.free(known == RequestTable.NONE ? numbers.findResource(resource(kind)) : known, slot);
    }

    /** The size that it has once it was used. */
    @Override
    public long bytes() {
        return 256 + requests.bytes() + (asked.length + 3) * 8L * NodeBits.words(nodes.capacity());
    }
}
