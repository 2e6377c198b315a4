package io.evenkeel.engine.pending;

import io.evenkeel.engine.estimate.Problem;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.store.ClusterView;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The host ports that pending pods request, as resources. For each number and protocol:
 *
 * <pre>
 *   resource                   a node has                                 a pod takes
 *   the port of one address    1, or 0 if it is taken                     1
 *   the port of all addresses  1 for each free port above, and 1 more     1 for each port above, or all that a node
 *                              if no pod there has the port at all        can have if it requests all addresses
 * </pre>
 */
final class HostPorts {
    private final ClusterView cluster;
    private final int[] slots;

    /** The requested ports of single addresses, by the port of all addresses. */
    private final Map<HostPort, Set<HostPort>> single = new LinkedHashMap<>();

    HostPorts(ClusterView cluster, int[] slots) {
        this.cluster = cluster;
        this.slots = slots;
    }

    void add(List<HostPort> ports) {
        for (HostPort port : ports) {
            Set<HostPort> its = single.computeIfAbsent(ofAll(port), none -> new LinkedHashSet<>());
            if (!port.equals(ofAll(port))) {
                its.add(port);
            }
        }
    }

    private static HostPort ofAll(HostPort port) {
        return new HostPort("", port.protocol(), port.port());
    }

    /** Adds what each slot has, by resource. */
    void putFree(Map<Object, long[]> free, StopSignal stop) {
        long resources =
                single.size() + single.values().stream().mapToLong(Set::size).sum();
        Problem.requireRoom(Long.BYTES * (long) slots.length * resources);
        single.forEach((all, ports) -> {
            stop.check();
            long[] sum = free(all);
            for (HostPort port : ports) {
                stop.check();
                long[] its = free(port);
                free.put(port, its);
                Arrays.setAll(sum, row -> sum[row] + its[row]);
            }
            free.put(all, sum);
        });
    }

    private long[] free(HostPort port) {
        return Arrays.stream(slots)
                .mapToLong(slot -> isTaken(port, cluster.ports(slot)) ? 0 : 1)
                .toArray();
    }

    private static boolean isTaken(HostPort port, List<PodRequests> by) {
        return by.stream().flatMap(other -> other.hostPorts().stream()).anyMatch(port::conflictsWith);
    }

    /** Adds what a pod with these ports takes, by resource. */
    void putRequests(List<HostPort> ports, Map<Object, Long> asked) {
        for (HostPort port : ports) {
            HostPort all = ofAll(port);
            long most = 1L + single.getOrDefault(all, Set.of()).size();
            if (!port.equals(all)) {
                asked.put(port, 1L);
            }
            asked.merge(all, port.equals(all) ? most : 1, (one, other) -> Math.min(most, one + other));
        }
    }
}
