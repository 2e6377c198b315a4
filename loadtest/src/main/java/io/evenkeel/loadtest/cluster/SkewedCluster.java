package io.evenkeel.loadtest.cluster;

import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Generates a cluster whose workloads violate their constraints, as after scale-downs and failures of zones. The pods
 * of a workload have hard constraints on zone and hostname with maxSkew 1, and are divided among three zones in random
 * shares; within a zone, each is on a random node. Nodes are equal, without taints, and have more room than is needed.
 */
public final class SkewedCluster {
    private static final int ZONES = 3;

    private final long seed;
    private final NodeLayout layout;
    private final int nodes;
    private final List<Workload> workloads = new ArrayList<>();
    private final List<Pod> pods = new ArrayList<>();

    /**
     * @param nodes at least three
     * @param pods the pods of all workloads; rounded down to a multiple of their number
     */
    public SkewedCluster(long seed, int nodes, int pods, int workloads) {
        this.seed = seed;
        this.nodes = nodes;
        layout = new NodeLayout(new ClusterShape(seed, nodes, pods, ZONES, 1, WorkloadSizes.MANY));
        int each = pods / workloads;
        for (int number = 0; number < workloads; number++) {
            Workload workload = new Workload(seed, number, number * each, each, 1);
            this.workloads.add(workload);
            addPods(workload);
        }
    }

    private void addPods(Workload workload) {
        Dice shares = new Dice(seed, "shares", workload.number());
        double[] ends = {shares.fraction(), shares.fraction()};
        Pod replica = Resources.asking(Spread.HARD_ZONE_HARD_HOSTNAME.of(workload), "100m");
        for (int i = 0; i < workload.pods(); i++) {
            int number = workload.firstPod() + i;
            Dice dice = new Dice(seed, "pod", number);
            double share = dice.fraction();
            int zone = (share < ends[0] ? 1 : 0) + (share < ends[1] ? 1 : 0);
            int inZone = (nodes - zone + ZONES - 1) / ZONES;
            int node = zone + ZONES * dice.below(inZone);
            Pod pod = workload.pod(dice, Dice.suffixOf(number));
            pods.add(pod.toBuilder()
                    .setSpec(replica.getSpec().toBuilder().setNodeName(layout.name(node)))
                    .setStatus(PodStatus.newBuilder().setPhase("Running"))
                    .build());
        }
    }

    /** The cluster as text: {@code 500 nodes, 15,000 pods of 300 skewed workloads}. */
    public String words() {
        return Numbers.grouped(nodes) + " nodes, " + Numbers.grouped(pods.size()) + " pods of "
                + Numbers.grouped(workloads.size()) + " skewed workloads";
    }

    public List<Workload> workloads() {
        return Collections.unmodifiableList(workloads);
    }

    /** All objects. */
    public Iterator<ClusterObject> objects() {
        return Stream.of(
                        IntStream.range(0, nodes)
                                .mapToObj(this::node)
                                .map(node -> ClusterObject.newBuilder().setNode(node)),
                        workloads.stream()
                                .map(workload -> ClusterObject.newBuilder().setReplicaSet(workload.replicaSet())),
                        pods.stream().map(pod -> ClusterObject.newBuilder().setPod(pod)))
                .flatMap(objects -> objects)
                .map(ClusterObject.Builder::build)
                .iterator();
    }

    private Node node(int number) {
        return Resources.of(layout.node(number), "16").toBuilder().clearSpec().build();
    }

    /**
     * The sum of what the skew of each constraint is above maxSkew, counted from nothing.
     *
     * @param moved the new nodes of pods, by the pods' names; a pod whose node is empty is not counted
     */
    public long excess(Map<String, String> moved) {
        long excess = 0;
        for (Workload workload : workloads) {
            int[] perNode = new int[nodes];
            int[] perZone = new int[ZONES];
            for (Pod pod : pods.subList(workload.firstPod(), workload.firstPod() + workload.pods())) {
                String node = moved.getOrDefault(
                        pod.getMetadata().getName(), pod.getSpec().getNodeName());
                if (!node.isEmpty()) {
                    perNode[NodeLayout.number(node)]++;
                    perZone[NodeLayout.number(node) % ZONES]++;
                }
            }
            excess += excess(perNode) + excess(perZone);
        }
        return excess;
    }

    private static int excess(int[] counts) {
        int skew = IntStream.of(counts).max().orElse(0)
                - IntStream.of(counts).min().orElse(0);
        return Math.max(0, skew - 1);
    }
}
