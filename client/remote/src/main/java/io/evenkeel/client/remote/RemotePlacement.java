package io.evenkeel.client.remote;

import io.evenkeel.client.PlacementClient;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes clients of a server, over gRPC.
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
 *     PodAnswer result =
 *             client.evaluate(Query.of(pod).best(3).toEvaluate()).getAnswers(0);
 *     if (result.hasError()) {
 *         throw PlacementException.of(result.getError());
 *     }
 *     ReadableAnswer answer = result.getReadable();
 *     System.out.println(answer.getPassedCount() + " of " + answer.getCandidateCount() + " nodes may take it");
 *     for (NodeScore node : answer.getBestList()) {
 *         System.out.println(node.getName() + ", score " + node.getScore());
 *     }
 *     for (ReasonCount reason : answer.getReasonsList()) {
 *         System.out.println(reason.getNodeCount() + " " + reason.getMessage());
 *     }
 * }
 * }</pre>
 */
public final class RemotePlacement {
    private RemotePlacement() {}

    /**
     * A client with default settings, without TLS.
     *
     * @param target the server as gRPC names it: {@code 127.0.0.1:7450}, {@code dns:///evenkeel.kube-system:7450}, or
     *     on Linux the file of a socket, as {@code unix:/run/evenkeel.sock}
     */
    public static PlacementClient connect(String target) {
        return builder(target).build();
    }

    /**
     * A builder for a client with other settings.
     *
     * @param target as for {@link #connect}
     */
    public static Builder builder(String target) {
        return new Builder(target);
    }

    /**
     * A builder for a client of several replicas, which are asked in turn; see {@link Builder#roundRobin}.
     *
     * @param replicas their addresses, each {@code HOST:PORT}
     */
    public static Builder builder(List<String> replicas) {
        return new Builder(ReplicaAddresses.target(replicas)).roundRobin();
    }

    /**
     * A client over a channel of the caller's. The caller closes the channel. Calls are retried as the channel is
     * configured: with {@link #serviceConfig}, as by {@link #connect}.
     *
     * @param deadline the deadline of each call, more than zero
     */
    public static PlacementClient over(Channel channel, Duration deadline) {
        return PlacementClient.over(new RemoteTransport(channel), deadline);
    }

    /**
     * The gRPC service config that retries every unary call on UNAVAILABLE, which is safe for all of them. The first
     * retry comes after 50 ms; the delay doubles up to one second, and varies by a fifth.
     *
     * @param attempts how often each call is made at most, 1 to 5
     */
    public static Map<String, ?> serviceConfig(int attempts) {
        return ServiceConfig.withAttempts(attempts);
    }

    /** Makes a client with a channel of its own, from its settings. */
    public static final class Builder {
        private static final Pattern CERTIFICATE = Pattern.compile("-----BEGIN [A-Z0-9 ]*CERTIFICATE-----");

        private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(10);
        private static final int RETRY_BUFFER_BYTES = 16 << 20;
        private static final String SOCKET = "unix:";
        private static final int USUAL_ATTEMPTS = 4;
        private static final int ATTEMPTS_AMONG_REPLICAS = 5;

        private final String target;
        private ChannelCredentials credentials = InsecureChannelCredentials.create();
        private Duration deadline = Duration.ofSeconds(10);
        private Duration keepAlive = Duration.ofSeconds(30);
        private @Nullable Integer attempts;
        private boolean roundRobin;
        private int maxAnswerBytes = 64 << 20;
        private @Nullable Executor executor;
        private @Nullable Supplier<String> token;
        private Consumer<ManagedChannelBuilder<?>> channelSettings = channel -> {};

        private Builder(String target) {
            this.target = target;
        }

        /**
         * Encrypts connections with TLS.
         *
         * @param authorities the certificates of those who may have issued the server's, in PEM
         * @throws IOException where the file cannot be read
         */
        public Builder tls(Path authorities) throws IOException {
            return tls(authorities, null, null);
        }

        /**
         * Encrypts connections with TLS, and shows a certificate. The files are read once.
         *
         * @param authorities the certificates of those who may have issued the server's, in PEM
         * @param certificate the client's certificate, in PEM
         * @param key its private key, in PEM (PKCS #8)
         * @throws IOException where a file cannot be read
         * @throws IllegalArgumentException where one has no certificates
         */
        public Builder mutualTls(Path authorities, Path certificate, Path key) throws IOException {
            return tls(authorities, certificate, key);
        }

        private static ManagedChannelBuilder<?> builder(String target, ChannelCredentials credentials) {
            try {
                return Grpc.newChannelBuilder(target, credentials);
            } catch (RuntimeException e) {
                // gRPC has an error of its own here, of a class that is not public.
                throw new IllegalArgumentException("the credentials cannot be used: " + e.getMessage(), e);
            }
        }

        /** The file's bytes, read once: it may be a pipe. */
        private static InputStream certificates(Path file) throws IOException {
            byte[] pem = Files.readAllBytes(file);
            if (!CERTIFICATE
                    .matcher(new String(pem, StandardCharsets.ISO_8859_1))
                    .find()) {
                throw new IllegalArgumentException(file + " has no certificates in PEM");
            }
            return new ByteArrayInputStream(pem);
        }

        private Builder tls(Path authorities, @Nullable Path certificate, @Nullable Path key) throws IOException {
            TlsChannelCredentials.Builder tls =
                    TlsChannelCredentials.newBuilder().trustManager(certificates(authorities));
            if (certificate != null && key != null) {
                tls.keyManager(certificates(certificate), new ByteArrayInputStream(Files.readAllBytes(key)));
            }
            return credentials(tls.build());
        }

        /**
         * Shows a bearer token with each call and stream. Without TLS, it can be read by anyone on the way.
         *
         * @param token asked before each call and stream, and quick, so that a token may change. Where it throws, or
         *     gives something with white space, the call fails with UNAUTHENTICATED
         */
        public Builder token(Supplier<String> token) {
            this.token = token;
            return this;
        }

        /** Sets the credentials of connections, instead of {@link #tls}; none by default. */
        public Builder credentials(ChannelCredentials credentials) {
            this.credentials = credentials;
            return this;
        }

        /**
         * Sets the deadline of each unary call, including retries: more than zero, 10 seconds by default.
         * {@link PlacementClient#within} sets another. Streams have no deadline.
         */
        public Builder deadline(Duration deadline) {
            this.deadline = deadline;
            return this;
        }

        /**
         * Sets how long a connection with calls or streams may be silent before it is probed: at least 10 seconds, 30
         * by default. Calls on a dead connection fail with UNAVAILABLE.
         *
         * @throws IllegalArgumentException where it is shorter, which servers take for a fault
         */
        public Builder keepAlive(Duration silence) {
            if (silence.compareTo(SHORTEST_SILENCE) < 0) {
                throw new IllegalArgumentException("keepAlive must be at least 10 seconds, was " + silence);
            }
            this.keepAlive = silence;
            return this;
        }

        /**
         * Sets how often a unary call is made at most while the server is unavailable: 1 to 5; by default 4, and 5
         * among replicas. See {@link RemotePlacement#serviceConfig}. A call whose answer had begun when its connection
         * was lost, which gRPC does not retry, is made anew as often.
         */
        public Builder attempts(int attempts) {
            this.attempts = attempts;
            return this;
        }

        /**
         * Asks the servers behind the target in turn, if there are several, as with a headless service:
         * {@code dns:///evenkeel.kube-system:7450}. Only those are asked that say that they answer queries. Where none
         * does, calls wait for one until their deadline, and fail with UNAVAILABLE then. So no query fails that demands
         * no revision, while the servers are restarted one after another.
         *
         * <p>Revisions, node tables and node sets belong to one server, so that queries that name one are refused by
         * the others.
         */
        public Builder roundRobin() {
            roundRobin = true;
            return this;
        }

        /**
         * Sets the size of the largest answer that is accepted, in bytes: 64 MiB by default. A call with a larger
         * answer fails with RESOURCE_EXHAUSTED.
         */
        public Builder maxAnswerBytes(int bytes) {
            this.maxAnswerBytes = bytes;
            return this;
        }

        /**
         * Sets the executor that completes futures, also those of streams; gRPC's own pool by default.
         * {@code Runnable::run} completes them in the network's thread, which is faster; dependent stages must not
         * block then.
         */
        public Builder executor(Executor executor) {
            this.executor = executor;
            return this;
        }

        /** Changes any other setting of the channel: interceptors, a user agent, a proxy. It is applied last. */
        public Builder channel(Consumer<ManagedChannelBuilder<?>> settings) {
            this.channelSettings = settings;
            return this;
        }

        /** Makes the client. The first call opens the connection. */
        public PlacementClient build() {
            ManagedChannel channel = openChannel();
            try {
                return PlacementClient.over(new RemoteTransport(channel, mostAttempts()), deadline);
            } catch (RuntimeException refused) {
                channel.shutdownNow();
                throw refused;
            }
        }

        /**
         * Makes a channel with these settings for stubs of the caller's, who closes it. The first call opens the
         * connection. It knows no deadline, and a call whose answer had begun is not made anew.
         */
        public ManagedChannel openChannel() {
            int most = mostAttempts();
            ManagedChannelBuilder<?> builder = builder(target, credentials)
                    .defaultServiceConfig(
                            roundRobin ? ServiceConfig.amongReplicas(most) : ServiceConfig.withAttempts(most))
                    .retryBufferSize(4L * RETRY_BUFFER_BYTES)
                    .perRpcBufferLimit(RETRY_BUFFER_BYTES)
                    .maxInboundMessageSize(maxAnswerBytes)
                    .keepAliveTime(TimeUnit.NANOSECONDS.convert(keepAlive), TimeUnit.NANOSECONDS)
                    .keepAliveTimeout(10, TimeUnit.SECONDS);
            if (target.startsWith(SOCKET) && builder instanceof NettyChannelBuilder netty) {
                // gRPC sets it for TCP, and Netty warns of each connection that does not know it.
                netty.withOption(ChannelOption.SO_KEEPALIVE, null);
            }
            if (executor != null) {
                builder.executor(executor);
            }
            if (token != null) {
                builder.intercept(new TokenInterceptor(token));
            }
            channelSettings.accept(builder);
            return builder.build();
        }

        private int mostAttempts() {
            int usual = roundRobin ? ATTEMPTS_AMONG_REPLICAS : USUAL_ATTEMPTS;
            return attempts == null ? usual : attempts;
        }
    }
}
