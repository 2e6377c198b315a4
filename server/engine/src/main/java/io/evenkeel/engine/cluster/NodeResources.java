package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.PodRequests;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What is free on each node: allocatable minus what the pods on the node take. It is updated as pods and nodes come, go
 * and change. Pods count here from when they are bound to a known node until they are finished or deleted, even while
 * they are terminating.
 *
 * <pre>
 *   free[r][slot]      for "pods", cpu, memory and ephemeral-storage; negative if the node is overfull
 *   nonZeroCpu[slot], nonZeroMemory[slot]   the sums of the pods' {@link PodRequests.NonZero}
 *   others[r](slot)    for other resources; absent if 0
 *   carriers[r]        how many nodes have some of it allocatable, whether or not it is free
 *   ports(slot)        the requests with host ports, once for each pod that has them; the lists are never changed
 *   moved[m % length]  the slot that move m changed, for the latest moves
 * </pre>
 *
 * {@link io.evenkeel.engine.index.NodeFit} follows the moves. The engine's one writer writes; readers hold the lock.
 */
public final class NodeResources {
    private static final int REMEMBERED = 1 << 12;

    private final NodeSlots nodes;
    private final PodTable pods;
    private final PodList podsOnHost;
    private final RequestTable requests;
    private final AntiAffinities antiAffinities;
    private final long[][] free;
    private long[] nonZeroCpu;
    private long[] nonZeroMemory;
    private final List<Long2LongHashMap> others = new ArrayList<>();
    private int[] carriers;
    private final Int2ObjectHashMap<List<PodRequests>> ports;
    private final int[] moved = new int[REMEMBERED];
    private long moves;
    private int podsWithoutRequests;
    private int nodesWithoutAllocatable;

    public NodeResources(
            NodeSlots nodes, PodTable pods, PodList podsOnHost, RequestTable requests, AntiAffinities antiAffinities) {
        this.nodes = nodes;
        this.pods = pods;
        this.podsOnHost = podsOnHost;
        this.requests = requests;
        this.antiAffinities = antiAffinities;
        free = new long[RequestTable.COMMON][64];
        nonZeroCpu = new long[64];
        nonZeroMemory = new long[64];
        carriers = new int[RequestTable.COMMON];
        ports = new Int2ObjectHashMap<>();
    }

    /** A copy for copies of the other's tables. It remembers no moves. */
    public NodeResources(
            NodeResources other,
            NodeSlots nodes,
            PodTable pods,
            PodList podsOnHost,
            RequestTable requests,
            AntiAffinities antiAffinities) {
        this.nodes = nodes;
        this.pods = pods;
        this.podsOnHost = podsOnHost;
        this.requests = requests;
        this.antiAffinities = antiAffinities;
        free = Arrays.stream(other.free).map(long[]::clone).toArray(long[][]::new);
        nonZeroCpu = other.nonZeroCpu.clone();
        nonZeroMemory = other.nonZeroMemory.clone();
        other.others.forEach(bySlot -> others.add(new Long2LongHashMap(bySlot)));
        carriers = other.carriers.clone();
        ports = new Int2ObjectHashMap<>(other.ports);
        podsWithoutRequests = other.podsWithoutRequests;
        nodesWithoutAllocatable = other.nodesWithoutAllocatable;
    }

    /** Called when a pod was added to a host, or is about to leave it. */
    public void podCounts(int pod, int slot, boolean in) {
        if (slot != NodeSlots.NONE && !pods.is(pod, PodTable.FINISHED)) {
            take(slot, pods.requests(pod), in);
            move(slot);
        }
    }

    /** Called when a node was added. */
    public void nodeEnters(int slot, int host) {
        if (nodes.capacity() > free[0].length) {
            for (int r = 0; r < free.length; r++) {
                free[r] = Arrays.copyOf(free[r], nodes.capacity());
            }
            nonZeroCpu = Arrays.copyOf(nonZeroCpu, nodes.capacity());
            nonZeroMemory = Arrays.copyOf(nonZeroMemory, nodes.capacity());
        }
        countNode(slot, nodes.attributes(slot).allocatable(), host, true);
    }

    /** Called when the node in a slot is about to be removed, or about to get other attributes. */
    public void nodeLeaves(int slot, int host) {
        countNode(slot, nodes.attributes(slot).allocatable(), host, false);
    }

    private void countNode(int slot, @Nullable NodeAllocatable allocatable, int host, boolean in) {
        if (allocatable == null) {
            nodesWithoutAllocatable += in ? 1 : -1;
        } else {
            add(RequestTable.PODS, slot, in ? allocatable.pods() : -allocatable.pods());
            allocatable.amounts().forEach((resource, amount) -> {
                int number = requests.number(resource);
                add(number, slot, in ? amount : -amount);
                if (amount > 0) {
                    carry(number, in);
                }
            });
        }
        for (int pod = podsOnHost.first(host); pod != PodList.NONE; pod = podsOnHost.next(pod)) {
            if (!pods.is(pod, PodTable.FINISHED)) {
                take(slot, pods.requests(pod), in);
            }
        }
        move(slot);
    }

    private void carry(int resource, boolean in) {
        if (resource >= carriers.length) {
            carriers = Arrays.copyOf(carriers, resource + 16);
        }
        carriers[resource] += in ? 1 : -1;
    }

    private void take(int slot, int id, boolean in) {
        if (id == RequestTable.UNKNOWN) {
            free[RequestTable.PODS][slot] += in ? -1 : 1;
            podsWithoutRequests += in ? 1 : -1;
            return;
        }
        int[] resources = requests.taken(id);
        long[] amounts = requests.amounts(id);
        for (int i = 0; i < resources.length; i++) {
            add(resources[i], slot, in ? -amounts[i] : amounts[i]);
        }
        PodRequests its = requests.get(id);
        nonZeroCpu[slot] += in ? its.nonZero().cpu() : -its.nonZero().cpu();
        nonZeroMemory[slot] += in ? its.nonZero().memory() : -its.nonZero().memory();
        if (!its.isKnown()) {
            podsWithoutRequests += in ? 1 : -1;
        }
        if (!its.hostPorts().isEmpty()) {
            takePorts(slot, its, in);
        }
        antiAffinities.count(id, its, in);
    }

    private void takePorts(int slot, PodRequests asked, boolean in) {
        List<PodRequests> there = new ArrayList<>(ports(slot));
        if (in) {
            there.add(asked);
        } else {
            there.remove(asked);
        }
        if (there.isEmpty()) {
            ports.remove(slot);
        } else {
            ports.put(slot, there);
        }
    }

    private void add(int resource, int slot, long more) {
        if (resource < RequestTable.COMMON) {
            free[resource][slot] += more;
            return;
        }
        while (others.size() <= resource - RequestTable.COMMON) {
            others.add(new Long2LongHashMap(0));
        }
        Long2LongHashMap bySlot = others.get(resource - RequestTable.COMMON);
        long now = bySlot.get(slot) + more;
        if (now == 0) {
            bySlot.remove(slot);
        } else {
            bySlot.put(slot, now);
        }
    }

    private void move(int slot) {
        moved[(int) moves & REMEMBERED - 1] = slot;
        moves++;
    }

    /**
     * How much of a resource is free on a node.
     *
     * @param resource its number in {@link RequestTable}, or {@link RequestTable#NONE}: then no node has any
     */
    public long free(int resource, int slot) {
        if (resource >= 0 && resource < RequestTable.COMMON) {
            return free[resource][slot];
        }
        int other = resource - RequestTable.COMMON;
        return other >= 0 && other < others.size() ? others.get(other).get(slot) : 0;
    }

    /** How much cpu the pods on a node count as taking when nodes are scored, in millicores. */
    public long nonZeroCpu(int slot) {
        return nonZeroCpu[slot];
    }

    /** How much memory the pods on a node count as taking when nodes are scored, in bytes. */
    public long nonZeroMemory(int slot) {
        return nonZeroMemory[slot];
    }

    /** How many nodes have some of a resource allocatable; see {@link #free} for its number. */
    public int carriers(int resource) {
        return resource >= 0 && resource < carriers.length ? carriers[resource] : 0;
    }

    /** The requests with host ports of the pods on a node, once for each pod. The list must not be changed. */
    public List<PodRequests> ports(int slot) {
        List<PodRequests> there = ports.get(slot);
        return there == null ? List.of() : there;
    }

    /** Slots below this have room. */
    public int capacity() {
        return free[0].length;
    }

    /** Increases with every change. */
    public long moves() {
        return moves;
    }

    /** Whether {@link #moved} knows all moves from this one on. */
    public boolean remembers(long move) {
        return moves - move <= REMEMBERED;
    }

    /** The slot that a move changed. */
    public int moved(long move) {
        return moved[(int) move & REMEMBERED - 1];
    }

    /** How many pods on known nodes were given without their containers. */
    public int podsWithoutRequests() {
        return podsWithoutRequests;
    }

    /** How many nodes were given without allocatable resources. */
    public int nodesWithoutAllocatable() {
        return nodesWithoutAllocatable;
    }
}
