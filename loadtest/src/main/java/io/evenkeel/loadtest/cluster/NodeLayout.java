package io.evenkeel.loadtest.cluster;

import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Decides the zone, rack, region and pool of each node of a generated cluster. Node i is in zone i mod zones, twenty
 * neighbours within a zone form a rack, and regions take zones in turn. One node in a hundred has no rack label.
 */
final class NodeLayout {
    private static final String PREFIX = "node-";
    private static final int NODES_IN_RACK = 20;

    private final ClusterShape shape;
    private final Pool[] pools;
    private final Map<Spread, int[][]> homes = new EnumMap<>(Spread.class);

    NodeLayout(ClusterShape shape) {
        this.shape = shape;
        pools = new Pool[shape.nodes()];
        for (int i = 0; i < pools.length; i++) {
            pools[i] = Pool.drawn(dice(i));
        }
        for (Spread spread : Spread.values()) {
            homes.put(spread, homes(spread));
        }
    }

    /**
     * The nodes of a zone that can run pods with {@code spread}. In a cluster too small to have every pool, these may
     * be all nodes of the zone.
     */
    int[] homes(Spread spread, int zone) {
        int[][] byZone = homes.get(spread);
        if (byZone == null) {
            throw new AssertionError(spread);
        }
        return byZone[zone];
    }

    Node node(int number) {
        Dice dice = dice(number);
        Pool.drawn(dice);
        String name = name(number);
        int zone = number % shape.zones();
        ObjectMeta.Builder meta = ObjectMeta.newBuilder()
                .setName(name)
                .setUid(dice.uid())
                .putLabels(Labels.HOSTNAME, name)
                .putLabels(Labels.ZONE, zone(number))
                .putLabels(Labels.REGION, "region-" + (zone % shape.regions() + 1))
                .putLabels(Labels.INSTANCE_TYPE, pools[number].instanceType)
                .putLabels(Labels.POOL, pools[number].label)
                .putLabels(Labels.ARCH, "amd64")
                .putLabels(Labels.OS, "linux");
        if (!dice.oneIn(100)) {
            meta.putLabels(Labels.RACK, "rack-%d-%03d".formatted(zone + 1, number / shape.zones() / NODES_IN_RACK));
        }
        return Node.newBuilder()
                .setMetadata(meta)
                .setSpec(pools[number].nodeSpec())
                .build();
    }

    String name(int number) {
        return PREFIX + "%05d".formatted(number);
    }

    /** The number of the node with that name. */
    static int number(String name) {
        return Integer.parseInt(name, PREFIX.length(), name.length(), 10);
    }

    String zone(int number) {
        return "zone-" + (number % shape.zones() + 1);
    }

    private Dice dice(int number) {
        return new Dice(shape.seed(), "node", number);
    }

    private int[][] homes(Spread spread) {
        int[][] byZone = new int[shape.zones()][];
        for (int zone = 0; zone < byZone.length; zone++) {
            int[] all = new int[shape.nodes()];
            int[] fit = new int[shape.nodes()];
            int allCount = 0;
            int fitCount = 0;
            for (int node = zone; node < pools.length; node += shape.zones()) {
                all[allCount++] = node;
                if (spread.pools().contains(pools[node])) {
                    fit[fitCount++] = node;
                }
            }
            byZone[zone] = fitCount > 0 ? Arrays.copyOf(fit, fitCount) : Arrays.copyOf(all, allCount);
        }
        return byZone;
    }
}
