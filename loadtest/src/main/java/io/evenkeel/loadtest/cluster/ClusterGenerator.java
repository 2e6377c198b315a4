package io.evenkeel.loadtest.cluster;

import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.UnaryOperator;

/**
 * Generates the objects of a cluster. Nodes are in zones, racks and regions, some of them in tainted pools. Workloads
 * take the constraints of {@link Spread} in turn, and most of their pods are placed as these ask. A few pods are in
 * another zone, as after rollouts and node failures, so that zones have some skew. A few pods are terminating.
 *
 * <p>Each object depends only on the shape and on its own number. Workloads and a few bytes per node are kept in
 * memory, but no pods. Thread-safe.
 */
public final class ClusterGenerator {
    private static final int ONE_STRAYS_IN = 200;
    private static final int ONE_TERMINATES_IN = 200;

    private final ClusterShape shape;
    private final NodeLayout layout;
    private final List<Workload> workloads;
    private final UnaryOperator<Pod> changed;
    private final UnaryOperator<Node> changedNode;

    public ClusterGenerator(ClusterShape shape) {
        this(shape, new NodeLayout(shape), workloads(shape), pod -> pod, node -> node);
    }

    private ClusterGenerator(
            ClusterShape shape,
            NodeLayout layout,
            List<Workload> workloads,
            UnaryOperator<Pod> changed,
            UnaryOperator<Node> changedNode) {
        this.shape = shape;
        this.layout = layout;
        this.workloads = workloads;
        this.changed = changed;
        this.changedNode = changedNode;
    }

    /** The same cluster with a change of each bound pod. */
    public ClusterGenerator with(UnaryOperator<Pod> change) {
        return new ClusterGenerator(shape, layout, workloads, change, changedNode);
    }

    /** The same cluster with a change of each node. */
    public ClusterGenerator withNodes(UnaryOperator<Node> change) {
        return new ClusterGenerator(shape, layout, workloads, changed, change);
    }

    /** The shape from which the cluster is generated. */
    public ClusterShape shape() {
        return shape;
    }

    /** The cluster as text: {@code 5,000 nodes in 3 zones, 150,000 pods of 300 workloads}. */
    public String words() {
        return Numbers.grouped(shape.nodes()) + " nodes in " + shape.zones() + " zones, "
                + Numbers.grouped(shape.pods()) + " pods of " + Numbers.grouped(workloads.size()) + " workloads";
    }

    public List<Workload> workloads() {
        return workloads;
    }

    /** The number of objects: nodes, a ReplicaSet and a Service per workload, and pods. */
    public int objectCount() {
        return shape.nodes() + 2 * workloads.size() + shape.pods();
    }

    /** All objects, generated lazily. Their resourceVersions are 1 to {@link #objectCount}, in order. */
    public Iterator<ClusterObject> objects() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < objectCount();
            }

            @Override
            public ClusterObject next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("all " + objectCount() + " objects were returned");
                }
                return object(next++);
            }
        };
    }

    /** The bound pod with that number, from 0 to {@link ClusterShape#pods} - 1. */
    public Pod pod(int number) {
        Workload workload = workloadOf(number);
        Dice dice = new Dice(shape.seed(), "pod", number);
        Pod pod = workload.pod(dice, Dice.suffixOf(number));
        int node = home(workload, number - workload.firstPod(), dice);
        ObjectMeta.Builder meta = pod.getMetadata().toBuilder()
                .setResourceVersion(version(shape.nodes() + 2 * workloads.size() + number));
        if (dice.oneIn(ONE_TERMINATES_IN)) {
            meta.getDeletionTimestampBuilder().setSeconds(1_767_225_600);
        }
        return changed.apply(pod.toBuilder()
                .setMetadata(meta)
                .setSpec(pod.getSpec().toBuilder().setNodeName(layout.name(node)))
                .setStatus(PodStatus.newBuilder().setPhase("Running"))
                .build());
    }

    /** The zone of a node. */
    public String zoneOf(String node) {
        return layout.zone(NodeLayout.number(node));
    }

    private ClusterObject object(int position) {
        int inKind = position;
        ClusterObject.Builder object = ClusterObject.newBuilder();
        if (inKind < shape.nodes()) {
            object.setNode(changedNode.apply(layout.node(inKind)));
            object.getNodeBuilder().getMetadataBuilder().setResourceVersion(version(position));
            return object.build();
        }
        inKind -= shape.nodes();
        if (inKind < workloads.size()) {
            object.setReplicaSet(workloads.get(inKind).replicaSet());
            object.getReplicaSetBuilder().getMetadataBuilder().setResourceVersion(version(position));
            return object.build();
        }
        inKind -= workloads.size();
        if (inKind < workloads.size()) {
            object.setService(workloads.get(inKind).service());
            object.getServiceBuilder().getMetadataBuilder().setResourceVersion(version(position));
            return object.build();
        }
        return object.setPod(pod(inKind - workloads.size())).build();
    }

    private static String version(int position) {
        return Integer.toString(position + 1);
    }

    /**
     * The node of the pod with this rank in its workload. Pods take zones in turn. Within a zone they take nodes at a
     * fixed step that visits every node before it repeats one.
     */
    private int home(Workload workload, int rank, Dice podDice) {
        Dice dice = new Dice(shape.seed(), "homes", workload.number());
        int zones = shape.zones();
        int zone =
                podDice.oneIn(ONE_STRAYS_IN) ? podDice.below(zones) : (int) ((dice.below(zones) + (long) rank) % zones);
        int[] homes = layout.homes(workload.spread(), zone);
        int start = dice.below(homes.length);
        int step = 1 + dice.below(homes.length);
        while (greatestCommonDivisor(step, homes.length) != 1) {
            step++;
        }
        return homes[(int) ((start + (long) (rank / zones) * step) % homes.length)];
    }

    private static int greatestCommonDivisor(int a, int b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    private Workload workloadOf(int pod) {
        if (pod < 0 || pod >= shape.pods()) {
            throw new IllegalArgumentException("the pod must be from 0 to " + (shape.pods() - 1) + ", was " + pod);
        }
        int low = 0;
        int high = workloads.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (workloads.get(middle).firstPod() <= pod) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return workloads.get(low);
    }

    private static List<Workload> workloads(ClusterShape shape) {
        List<Workload> workloads = new ArrayList<>();
        int handedOut = 0;
        while (handedOut < shape.pods()) {
            Dice dice = new Dice(shape.seed(), "size", workloads.size());
            int pods = Math.min(shape.sizes().next(dice, shape.nodes()), shape.pods() - handedOut);
            workloads.add(new Workload(
                    shape.seed(),
                    workloads.size(),
                    handedOut,
                    pods,
                    shape.sizes().namespaces()));
            handedOut += pods;
        }
        return Collections.unmodifiableList(workloads);
    }
}
