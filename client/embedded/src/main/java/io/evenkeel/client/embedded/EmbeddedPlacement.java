package io.evenkeel.client.embedded;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * Makes clients that have the index in this process.
 *
 * <p>Blocking calls work on the caller's thread, and so do the messages of a {@link io.evenkeel.client.ClusterFeed}: a
 * feed is as fast as the thread that feeds it. What returns a future answers at once, on the caller's thread, where
 * that is short (a plan is known, the answer is small), and otherwise on an executor. A deadline bounds how long a call
 * waits for a revision and works on its answer; changes that have begun are finished.
 *
 * <pre>{@code
 * try (PlacementClient client = EmbeddedPlacement.start()) {
 *     List<ClusterObject> cluster = new ArrayList<>();
 *     for (String zone : List.of("a", "b", "c")) {
 *         cluster.add(ClusterObjects.of(Node.newBuilder()
 *                 .setMetadata(ObjectMeta.newBuilder()
 *                         .setName("node-" + zone)
 *                         .setUid("uid-of-node-" + zone)
 *                         .putLabels("topology.kubernetes.io/zone", zone))
 *                 .build()));
 *     }
 *     try (ClusterFeed feed = client.feed()) {
 *         feed.snapshot(cluster.iterator());
 *     }
 *     for (int i = 0; i < 3; i++) {
 *         Pod pod = Pod.newBuilder()
 *                 .setMetadata(ObjectMeta.newBuilder()
 *                         .setNamespace("shop")
 *                         .setName("web-" + i)
 *                         .setUid("uid-of-web-" + i)
 *                         .putLabels("app", "web"))
 *                 .setSpec(PodSpec.newBuilder()
 *                         .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
 *                                 .setMaxSkew(1)
 *                                 .setTopologyKey("topology.kubernetes.io/zone")
 *                                 .setWhenUnsatisfiable("DoNotSchedule")
 *                                 .setLabelSelector(
 *                                         LabelSelector.newBuilder().putMatchLabels("app", "web"))))
 *                 .build();
 *         String node = client.evaluate(Query.of(pod).best(1).toEvaluate())
 *                 .getAnswers(0)
 *                 .getBest(0)
 *                 .getName();
 *         client.assume(AssumeRequest.newBuilder()
 *                 .addPods(AssumedPod.newBuilder().setPod(pod).setNode(node))
 *                 .build());
 *         System.out.println(pod.getMetadata().getName() + " to " + node);
 *     }
 * }
 * }</pre>
 */
public final class EmbeddedPlacement {
    private EmbeddedPlacement() {}

    /**
     * A client with an empty index of its own, every setting at its default. Queries fail with UNAVAILABLE until it is
     * told of a cluster.
     */
    public static PlacementClient start() {
        return builder().build();
    }

    /** A client with settings to be chosen. */
    public static Builder builder() {
        return new Builder();
    }

    /** The settings of a client. */
    public static final class Builder {
        private InstanceOptions options = InstanceOptions.standard();
        private Executor executor = ForkJoinPool.commonPool();
        private Duration deadline = Duration.ofSeconds(10);

        private Builder() {}

        /** Limits, default constraints, the time to live of assumed pods, and the engine's own settings. */
        public Builder options(InstanceOptions options) {
            this.options = options;
            return this;
        }

        /**
         * Does what a future is for and is not short: first sights of a workload, explanations, waits for a revision;
         * the common pool by default.
         */
        public Builder executor(Executor executor) {
            this.executor = executor;
            return this;
        }

        /**
         * How long a call waits for a revision that it demands, and then works on its answer; more than zero, 10
         * seconds by default. {@link PlacementClient#within} sets another.
         */
        public Builder deadline(Duration deadline) {
            this.deadline = deadline;
            return this;
        }

        /** Starts an index; the client's {@code close} ends it. */
        public PlacementClient build() {
            Instance instance = new Instance(options);
            return PlacementClient.over(new EmbeddedTransport(instance, executor, instance::close), deadline);
        }

        /**
         * A client of an index that is there already, such as that of a server in this process; whoever made it closes
         * it. The options are that index's.
         */
        public PlacementClient over(Instance instance) {
            return PlacementClient.over(new EmbeddedTransport(instance, executor, () -> {}), deadline);
        }
    }
}
