package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Small and large problems of one workload with a zone and a hostname constraint; key 0 is the zone, key 1 the host.
 */
final class Worlds {
    static final HardConstraint ZONE = new HardConstraint(0, 1, 1, true);
    static final HardConstraint HOST = new HardConstraint(1, 1, 1, true);

    private Worlds() {}

    /**
     * A problem of one shape.
     *
     * @param zones the zone of each existing node
     * @param room how many pods each existing node has room for
     * @param held how many pods of the workload each existing node has
     * @param templates templates in zones 0, 1, …, each with room for 30 pods
     */
    static Problem of(
            int[] zones,
            int room,
            int held,
            int pods,
            int templates,
            int max,
            boolean count,
            HardConstraint... constraints) {
        int nodes = zones.length;
        int[] hosts = new int[nodes];
        int[] perZone = new int[Math.max(templates, Arrays.stream(zones).max().orElse(-1) + 1)];
        int[] perHost = new int[nodes];
        long[] free = new long[nodes];
        for (int n = 0; n < nodes; n++) {
            hosts[n] = n;
            free[n] = room;
            perZone[zones[n]] += held;
            perHost[n] = held;
        }
        List<NodeTemplate> all = new ArrayList<>();
        for (int t = 0; t < templates; t++) {
            all.add(new NodeTemplate(new long[] {30}, new int[] {t, NodeTemplate.OWN_DOMAIN}, max, 1));
        }
        BitSet own = first(1);
        return new Problem(
                1,
                2,
                new Nodes(nodes, free, new int[][] {zones, hosts}),
                all,
                List.of(
                        new CountedPods(0, perZone, first(nodes), first(templates), own),
                        new CountedPods(1, perHost, first(nodes), first(templates), own)),
                List.of(new PodShape(pods, new long[] {1}, first(nodes), first(templates), List.of(constraints))),
                count);
    }

    /** Zones for nodes that are dealt out in turn. */
    static int[] inTurn(int nodes, int zones) {
        int[] of = new int[nodes];
        for (int n = 0; n < nodes; n++) {
            of[n] = n % zones;
        }
        return of;
    }

    static BitSet first(int size) {
        BitSet bits = new BitSet();
        bits.set(0, size);
        return bits;
    }
}
