package io.evenkeel.engine.cluster;

import io.evenkeel.engine.memory.RecycledIds;
import io.evenkeel.engine.model.PodRequests;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.agrona.collections.Object2IntHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Stores the requests of pods, equal ones once, each with an id. It also numbers the resources.
 *
 * <pre>
 *   requests[id]   null if the id is free
 *   taken[id]      [ resource | resource | … ], each as a number; the first is always PODS
 *   amounts[id]    how much of each of these a pod takes
 *   users[id]      how many pods have it
 * </pre>
 *
 * A resource keeps its number. {@link PodRequests#UNKNOWN} always has id {@link #UNKNOWN}.
 */
public final class RequestTable {
    public static final int NONE = -1;

    /** The id of requests that were not given. */
    public static final int UNKNOWN = 0;

    /** The number of the resource "pods", of which each pod takes 1. */
    public static final int PODS = 0;

    public static final int CPU = 1;
    public static final int MEMORY = 2;

    /** Numbers below this belong to "pods", cpu, memory and ephemeral-storage, which every node has. */
    static final int COMMON = 4;

    private final Object2IntHashMap<String> resources;
    private final Object2IntHashMap<PodRequests> byValue;
    private final RecycledIds ids;
    private @Nullable PodRequests[] requests = new PodRequests[16];
    private int[][] taken = new int[16][];
    private long[][] amounts = new long[16][];
    private int[] users = new int[16];

    /** The id of the last acquired requests, because pods of one workload often come together. */
    private int last;

    public RequestTable() {
        resources = new Object2IntHashMap<>(NONE);
        byValue = new Object2IntHashMap<>(NONE);
        ids = new RecycledIds();
        for (String common : List.of("pods", PodRequests.CPU, PodRequests.MEMORY, PodRequests.EPHEMERAL_STORAGE)) {
            number(common);
        }
        acquire(PodRequests.UNKNOWN);
    }

    /** A copy with the same ids and numbers. */
    public RequestTable(RequestTable other) {
        resources = new Object2IntHashMap<>(other.resources);
        byValue = new Object2IntHashMap<>(other.byValue);
        ids = new RecycledIds(other.ids);
        requests = other.requests.clone();
        taken = other.taken.clone();
        amounts = other.amounts.clone();
        users = other.users.clone();
        last = other.last;
    }

    /** The number of a resource that a node or a pod of the cluster has named, or NONE. */
    public int findResource(String name) {
        return resources.getValue(name);
    }

    /** The number of a resource, which is numbered if it is new. */
    int number(String name) {
        int known = resources.getValue(name);
        if (known == NONE) {
            known = resources.size();
            resources.put(name, known);
        }
        return known;
    }

    /** Whether the requests with this id equal {@code other}. */
    public boolean is(int id, PodRequests other) {
        return get(id).equals(other);
    }

    /** Adds a use of requests, and returns their id. */
    public int acquire(PodRequests asked) {
        if (!asked.equals(requests[last])) {
            int id = byValue.getValue(asked);
            last = id == NONE ? add(asked) : id;
        }
        users[last]++;
        return last;
    }

    private int add(PodRequests asked) {
        int id = ids.take();
        if (id == requests.length) {
            requests = Arrays.copyOf(requests, id * 2);
            taken = Arrays.copyOf(taken, id * 2);
            amounts = Arrays.copyOf(amounts, id * 2);
            users = Arrays.copyOf(users, id * 2);
        }
        List<PodRequests.Amount> all = asked.amounts();
        taken[id] = new int[all.size() + 1];
        amounts[id] = new long[all.size() + 1];
        taken[id][0] = PODS;
        amounts[id][0] = 1;
        for (int i = 0; i < all.size(); i++) {
            taken[id][i + 1] = number(all.get(i).resource());
            amounts[id][i + 1] = all.get(i).amount();
        }
        requests[id] = asked;
        users[id] = 0;
        byValue.put(asked, id);
        return id;
    }

    /** Ends a use. */
    public void release(int id) {
        if (--users[id] == 0) {
            byValue.removeKey(get(id));
            requests[id] = null;
            ids.give(id);
        }
    }

    public PodRequests get(int id) {
        return Objects.requireNonNull(requests[id]);
    }

    int[] taken(int id) {
        return taken[id];
    }

    long[] amounts(int id) {
        return amounts[id];
    }

    /** How many different requests there are. */
    public int size() {
        return byValue.size();
    }
}
