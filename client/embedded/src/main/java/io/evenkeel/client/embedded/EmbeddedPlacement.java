package io.evenkeel.client.embedded;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.ProtobufVersion;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * Creates clients with the index in the same process.
 *
 * <p>Blocking calls do their work in the caller's thread. So do the messages of a
 * {@link io.evenkeel.client.ClusterFeed}: a feed is as fast as the thread that feeds it. A call that returns a future
 * is answered immediately in the caller's thread if the work is short (the plan is cached and the answer is small),
 * otherwise by an executor. The deadline limits how long a call waits for a revision and works on its answer; writes
 * that have begun always complete.
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
     * A client with its own empty index and default settings. Queries fail with UNAVAILABLE until the cluster state is
     * fed.
     *
     * @throws IllegalStateException if protobuf-java is too old
     */
    public static PlacementClient start() {
        return builder().build();
    }

    /**
     * A builder for a client with other settings.
     *
     * @throws IllegalStateException if protobuf-java is too old
     */
    public static Builder builder() {
        ProtobufVersion.check();
        return new Builder();
    }

    /** Builds a client. */
    public static final class Builder {
        private InstanceOptions options = InstanceOptions.standard();
        private Executor executor = ForkJoinPool.commonPool();
        private Duration deadline = Duration.ofSeconds(10);

        private Builder() {}

        /** Sets limits, default constraints, the time to live of assumed pods, and engine settings. */
        public Builder options(InstanceOptions options) {
            this.options = options;
            return this;
        }

        /**
         * Sets the executor for slow calls that return a future: first queries about a workload, explanations, and
         * calls that wait for a revision. The default is the common pool.
         */
        public Builder executor(Executor executor) {
            this.executor = executor;
            return this;
        }

        /**
         * Sets how long a call may wait for a revision and work on its answer: more than zero, 10 seconds by default.
         * {@link PlacementClient#within} overrides it.
         */
        public Builder deadline(Duration deadline) {
            this.deadline = deadline;
            return this;
        }

        /** A client with its own index, which {@code close} closes too. */
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
