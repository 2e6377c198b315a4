package io.evenkeel.loadtest.cluster;

import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The objects of a made-up cluster: nodes in zones, racks and regions, some of them in tainted pools; workloads that
 * ask to be spread in the ways of {@link Spread}, in turn; and their pods, spread nearly as they ask. A few pods stray
 * to a zone out of their turn, as they do after roll-outs and lost nodes, so that zones are skewed by some; a few are
 * terminating.
 *
 * <p>Objects follow from the shape and their number alone. What is kept in memory are the workloads and a few bytes a
 * node; no pod. Safe for use by several threads.
 */
public final class ClusterGenerator {
    private static final int ONE_STRAYS_IN = 200;
    private static final int ONE_TERMINATES_IN = 200;

    private final ClusterShape shape;
    private final NodeLayout layout;
    private final List<Workload> workloads;

    public ClusterGenerator(ClusterShape shape) {
        this.shape = shape;
        layout = new NodeLayout(shape);
        workloads = workloads(shape);
    }

    /** What it was made from. */
    public ClusterShape shape() {
        return shape;
    }

    /** In words: {@code 5,000 nodes in 3 zones, 150,000 pods of 300 workloads}. */
    public String words() {
        return Numbers.grouped(shape.nodes()) + " nodes in " + shape.zones() + " zones, "
                + Numbers.grouped(shape.pods()) + " pods of " + Numbers.grouped(workloads.size()) + " workloads";
    }

    public List<Workload> workloads() {
        return workloads;
    }

    /** How many objects there are: nodes, then a ReplicaSet and a Service for each workload, then pods. */
    public int objectCount() {
        return shape.nodes() + 2 * workloads.size() + shape.pods();
    }

    /**
     * Every object in turn, made as it is asked for. Each has the resource version after that of the one before, from 1
     * to {@link #objectCount}.
     */
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
                    throw new NoSuchElementException("all " + objectCount() + " objects were handed out");
                }
                return object(next++);
            }
        };
    }

    /** The bound pod of that number, from 0 to {@link ClusterShape#pods} less 1. */
    public Pod pod(int number) {
        Workload workload = workloadOf(number);
        Dice dice = new Dice(shape.seed(), "pod", number);
        Pod pod = workload.pod(dice);
        int node = home(workload, number - workload.firstPod(), dice);
        ObjectMeta.Builder meta = pod.getMetadata().toBuilder()
                .setResourceVersion(version(shape.nodes() + 2 * workloads.size() + number));
        if (dice.oneIn(ONE_TERMINATES_IN)) {
            meta.getDeletionTimestampBuilder().setSeconds(1_767_225_600);
        }
        return pod.toBuilder()
                .setMetadata(meta)
                .setSpec(pod.getSpec().toBuilder().setNodeName(layout.name(node)))
                .setStatus(PodStatus.newBuilder().setPhase("Running"))
                .build();
    }

    /** The zone of one of its nodes. */
    public String zoneOf(String node) {
        return layout.zone(NodeLayout.number(node));
    }

    private ClusterObject object(int position) {
        int inKind = position;
        ClusterObject.Builder object = ClusterObject.newBuilder();
        if (inKind < shape.nodes()) {
            object.setNode(layout.node(inKind));
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
     * The node that holds the pod of that rank in its workload: zone by zone, in each at a step that meets every node
     * before one twice.
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
