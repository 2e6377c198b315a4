package io.evenkeel.loadtest.cluster;

import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodStatus;
import java.util.Iterator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Generates a cluster without room: each node of three zones has thirty pods of thirty workloads, of which 22 have a
 * lower priority than the incoming pod, and no cpu is left. Which pods must go differs from node to node, because
 * requests do.
 */
public final class FullCluster {
    private static final long SEED = 1;
    private static final int ZONES = 3;
    private static final int PODS_PER_NODE = 30;
    private static final int LOWER = 22;
    private static final int PRIORITY = 100;
    private static final int CPU_PER_POD = 100;

    private final NodeLayout layout;
    private final int nodes;

    /** @param nodes at least three */
    public FullCluster(int nodes) {
        this.nodes = nodes;
        layout = new NodeLayout(new ClusterShape(SEED, nodes, 0, ZONES, 1, WorkloadSizes.MANY));
    }

    /** The cluster as text: {@code 1,000 full nodes of 30 pods}. */
    public String words() {
        return Numbers.grouped(nodes) + " full nodes of " + PODS_PER_NODE + " pods";
    }

    /** A pod that no node accepts. It has hard constraints on zone and hostname, and needs the cpu of several pods. */
    public Pod incomingPod() {
        Workload workload = workload(0);
        Pod.Builder pod =
                Resources.asking(Spread.HARD_ZONE_HARD_HOSTNAME.of(workload), 5 * CPU_PER_POD + "m").toBuilder();
        pod.getSpecBuilder().setPriority(PRIORITY);
        return pod.build();
    }

    /** All objects of the cluster. */
    public Iterator<ClusterObject> objects() {
        return stream().iterator();
    }

    private Stream<ClusterObject> stream() {
        return Stream.concat(
                        IntStream.range(0, nodes)
                                .mapToObj(this::node)
                                .map(node -> ClusterObject.newBuilder().setNode(node)),
                        IntStream.range(0, nodes * PODS_PER_NODE)
                                .mapToObj(this::pod)
                                .map(pod -> ClusterObject.newBuilder().setPod(pod)))
                .map(ClusterObject.Builder::build);
    }

    /** All objects, and the incoming pod. */
    public Iterator<ClusterObject> objectsAndPendingPod() {
        ClusterObject pending = ClusterObject.newBuilder().setPod(incomingPod()).build();
        return Stream.concat(stream(), Stream.of(pending)).iterator();
    }

    private Node node(int number) {
        return Resources.of(layout.node(number), CPU_PER_POD * PODS_PER_NODE + "m").toBuilder()
                .clearSpec()
                .build();
    }

    /** Two neighbours on a node request as much as two pods of equal size. */
    private Pod pod(int number) {
        int onNode = number % PODS_PER_NODE;
        Dice dice = new Dice(SEED, "full", number);
        int less = new Dice(SEED, "less", number / 2).below(CPU_PER_POD / 2);
        int cpu = number % 2 == 0 ? CPU_PER_POD - less : CPU_PER_POD + less;
        Workload workload = workload(onNode);
        Pod pod = workload.pod(dice, Dice.suffixOf(number));
        Pod.Builder bound = Resources.asking(
                pod.toBuilder()
                        .setSpec(Spread.DEFAULTS_WITH_OWNER.of(workload).getSpec())
                        .build(),
                cpu + "m")
                .toBuilder();
        bound.getSpecBuilder()
                .setNodeName(layout.name(number / PODS_PER_NODE))
                .setPriority(onNode < LOWER ? dice.below(PRIORITY) : PRIORITY + dice.below(PRIORITY));
        bound.setStatus(PodStatus.newBuilder().setPhase("Running"));
        bound.getStatusBuilder().getStartTimeBuilder().setSeconds(1_700_000_000L + number);
        return bound.build();
    }

    private Workload workload(int number) {
        return new Workload(SEED, number, 0, nodes, 1);
    }
}
