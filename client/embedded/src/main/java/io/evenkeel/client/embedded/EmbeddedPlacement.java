package io.evenkeel.client.embedded;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * Makes clients that have the index in the same process.
 *
 * <p>Blocking calls do their work in the caller's thread. So do the messages of a
 * {@link io.evenkeel.client.ClusterFeed}: a feed is as fast as the thread that feeds it. A call that returns a future
 * is answered at once, in the caller's thread, where that is short (the plan is known and the answer is small), and
 * otherwise by an executor. A deadline bounds how long a call waits for a revision and works on its answer; changes
 * that have begun are always finished.
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
 *                 .getReadable()
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
     * A client with an empty index of its own and default settings. Queries fail with UNAVAILABLE until a cluster is
     * fed.
     */
    public static PlacementClient start() {
        return builder().build();
    }

    /** A builder for a client with other settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Makes a client from its settings. */
    public static final class Builder {
        private InstanceOptions options = InstanceOptions.standard();
        private Executor executor = ForkJoinPool.commonPool();
        private Duration deadline = Duration.ofSeconds(10);

        private Builder() {}

        /**
         * Sets the limits, the default constraints, the time to live of assumed pods, and the settings of the engine.
         */
        public Builder options(InstanceOptions options) {
            this.options = options;
            return this;
        }

        /**
         * Sets the executor for calls that return a future and take long: first questions about a workload,
         * explanations, calls that wait for a revision. The default is the common pool.
         */
        public Builder executor(Executor executor) {
            this.executor = executor;
            return this;
        }

        /**
         * Sets how long a call may wait for a revision and work on its answer: more than zero, 10 seconds by default.
         * {@link PlacementClient#within} sets another.
         */
        public Builder deadline(Duration deadline) {
            this.deadline = deadline;
            return this;
        }

        /** A client with an index of its own, which {@code close} ends. */
        public PlacementClient build() {
            Instance instance = new Instance(options);
            try {
                return PlacementClient.over(new EmbeddedTransport(instance, executor, instance::close), deadline);
            } catch (RuntimeException refused) {
                instance.close();
                throw refused;
            }
        }

        /**
         * A client of an existing index, such as that of a server in the same process, with that index's options.
         * Closing the client does not close the index.
         */
        public PlacementClient over(Instance instance) {
            return PlacementClient.over(new EmbeddedTransport(instance, executor, () -> {}), deadline);
        }
    }
}
