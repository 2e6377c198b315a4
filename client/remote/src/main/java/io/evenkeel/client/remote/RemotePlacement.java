package io.evenkeel.client.remote;

import io.evenkeel.client.PlacementClient;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes clients of a server.
 *
 * <pre>{@code
 * Pod pod = Pod.newBuilder()
 *         .setMetadata(ObjectMeta.newBuilder().setNamespace("shop").putLabels("app", "web"))
 *         .setSpec(PodSpec.newBuilder()
 *                 .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
 *                         .setMaxSkew(1)
 *                         .setTopologyKey("topology.kubernetes.io/zone")
 *                         .setWhenUnsatisfiable("DoNotSchedule")
 *                         .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"))))
 *         .build();
 * try (PlacementClient client = RemotePlacement.connect(target)) {
 *     Query question = Query.of(pod).among(CandidateNodes.enterable()).best(3);
 *     PodAnswer answer = client.evaluate(question.toEvaluate()).getAnswers(0);
 *     System.out.println(answer.getPassed() + " of " + answer.getCandidates() + " nodes may take it");
 *     for (NodeScore node : answer.getBestList()) {
 *         System.out.println(node.getName() + ", score " + node.getScore());
 *     }
 *     for (ReasonCount reason : answer.getReasonsList()) {
 *         System.out.println(reason.getNodes() + " " + reason.getReason());
 *     }
 * }
 * }</pre>
 */
public final class RemotePlacement {
    private RemotePlacement() {}

    /**
     * A client with every setting at its default, without TLS.
     *
     * @param target as gRPC names it: {@code 127.0.0.1:7450}, {@code dns:///evenkeel.kube-system:7450}
     */
    public static PlacementClient connect(String target) {
        return builder(target).build();
    }

    /**
     * A client with settings to be chosen.
     *
     * @param target as gRPC names it: {@code 127.0.0.1:7450}, {@code dns:///evenkeel.kube-system:7450}
     */
    public static Builder builder(String target) {
        return new Builder(target);
    }

    /**
     * A client over a channel of the caller's, who closes it. Its calls are made again as that channel says:
     * {@link #serviceConfig} for its builder does as {@link #connect}.
     *
     * @param deadline of each call, more than zero
     */
    public static PlacementClient over(Channel channel, Duration deadline) {
        return PlacementClient.over(new RemoteTransport(channel, null), deadline);
    }

    /**
     * The gRPC service config that makes every unary call again on UNAVAILABLE, which is safe for all of them, after 50
     * ms, doubled up to a second, give or take a fifth.
     *
     * @param attempts of each call in all, 1 to 5
     */
    public static Map<String, ?> serviceConfig(int attempts) {
        return ServiceConfig.withAttempts(attempts);
    }

    /** The settings of a client that makes its own channel. */
    public static final class Builder {
        private static final int RETRY_BUFFER_BYTES = 16 << 20;

        private final String target;
        private ChannelCredentials credentials = InsecureChannelCredentials.create();
        private Duration deadline = Duration.ofSeconds(10);
        private Duration keepAlive = Duration.ofSeconds(30);
        private int attempts = 4;
        private int maxAnswerBytes = 64 << 20;
        private @Nullable Executor executor;
        private Consumer<ManagedChannelBuilder<?>> channelSettings = channel -> {};

        private Builder(String target) {
            this.target = target;
        }

        /** TLS and the like; none by default. */
        public Builder credentials(ChannelCredentials credentials) {
            this.credentials = credentials;
            return this;
        }

        /**
         * Of each unary call, retries included; more than zero, 10 seconds by default. {@link PlacementClient#within}
         * sets another. Streams have none.
         */
        public Builder deadline(Duration deadline) {
            this.deadline = deadline;
            return this;
        }

        /**
         * How long a connection with calls or streams may be silent before it is probed; at least 10 seconds, 30 by
         * default. One that is dead ends with UNAVAILABLE.
         */
        public Builder keepAlive(Duration silence) {
            this.keepAlive = silence;
            return this;
        }

        /**
         * How often a unary call is made in all while the server is unavailable; 1 to 5, 4 by default. See
         * {@link RemotePlacement#serviceConfig}.
         */
        public Builder attempts(int attempts) {
            this.attempts = attempts;
            return this;
        }

        /** The largest answer taken, in bytes; 64 MiB by default. One that is larger fails with RESOURCE_EXHAUSTED. */
        public Builder maxAnswerBytes(int bytes) {
            this.maxAnswerBytes = bytes;
            return this;
        }

        /**
         * Completes futures, those of streams too; gRPC's own pool by default. {@code Runnable::run} completes them on
         * the network's thread, which saves a hop between threads: then nothing that hangs on them may block.
         */
        public Builder executor(Executor executor) {
            this.executor = executor;
            return this;
        }

        /** Any other setting of the channel: interceptors, a user agent, a proxy. Applied last. */
        public Builder channel(Consumer<ManagedChannelBuilder<?>> settings) {
            this.channelSettings = settings;
            return this;
        }

        /** The connection is made with the first call. */
        public PlacementClient build() {
            ManagedChannelBuilder<?> builder = Grpc.newChannelBuilder(target, credentials)
                    .defaultServiceConfig(ServiceConfig.withAttempts(attempts))
                    .retryBufferSize(4L * RETRY_BUFFER_BYTES)
                    .perRpcBufferLimit(RETRY_BUFFER_BYTES)
                    .maxInboundMessageSize(maxAnswerBytes)
                    .keepAliveTime(keepAlive.toNanos(), TimeUnit.NANOSECONDS)
                    .keepAliveTimeout(10, TimeUnit.SECONDS);
            if (executor != null) {
                builder.executor(executor);
            }
            channelSettings.accept(builder);
            ManagedChannel channel = builder.build();
            return PlacementClient.over(new RemoteTransport(channel, channel), deadline);
        }
    }
}
