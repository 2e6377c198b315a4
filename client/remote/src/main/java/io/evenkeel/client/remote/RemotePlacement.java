package io.evenkeel.client.remote;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.ProtobufVersion;
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
 * Creates clients that connect to a server over gRPC.
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
     * A client with default settings and without TLS.
     *
     * @param target a gRPC target: {@code 127.0.0.1:7450}, {@code dns:///evenkeel.kube-system:7450}, or on Linux a
     *     socket file such as {@code unix:/run/evenkeel.sock}
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
     * A builder for a client that balances calls over several replicas; see {@link Builder#roundRobin}.
     *
     * @param replicas the addresses, each {@code HOST:PORT}
     */
    public static Builder builder(List<String> replicas) {
        return new Builder(ReplicaAddresses.target(replicas)).roundRobin();
    }

    /**
     * A client over the caller's channel. The caller closes the channel. The channel's configuration decides which
     * calls are retried; {@link #serviceConfig} has the retries of {@link #connect}.
     *
     * @param deadline the deadline of each call, more than zero
     */
    public static PlacementClient over(Channel channel, Duration deadline) {
        return PlacementClient.over(new RemoteTransport(channel), deadline);
    }

    /**
     * The gRPC service config that retries every unary call on UNAVAILABLE, which is safe for all of them. The first
     * retry comes after 50 ms; the delay doubles up to one second, with a jitter of 20%.
     *
     * @param attempts the maximum number of attempts per call, 1 to 5
     */
    public static Map<String, ?> serviceConfig(int attempts) {
        return ServiceConfig.withAttempts(attempts);
    }

    /** Builds a client with its own channel. */
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
            ProtobufVersion.check();
            this.target = target;
        }

        /**
         * Encrypts connections with TLS.
         *
         * @param authorities the CA certificates for the server, in PEM
         * @throws IOException if the file cannot be read
         */
        public Builder tls(Path authorities) throws IOException {
            return tls(authorities, null, null);
        }

        /**
         * Encrypts connections with TLS and authenticates with a client certificate. The files are read once.
         *
         * @param authorities the CA certificates for the server, in PEM
         * @param certificate the client's certificate, in PEM
         * @param key its private key, in PEM (PKCS #8)
         * @throws IOException if a file cannot be read
         * @throws IllegalArgumentException if a file contains no certificates
         */
        public Builder mutualTls(Path authorities, Path certificate, Path key) throws IOException {
            return tls(authorities, certificate, key);
        }

        private static ManagedChannelBuilder<?> builder(String target, ChannelCredentials credentials) {
            try {
                return Grpc.newChannelBuilder(target, credentials);
            } catch (RuntimeException e) {
                // gRPC throws a class here that is not public.
                throw new IllegalArgumentException("invalid credentials: " + e.getMessage(), e);
            }
        }

        /** The file's bytes. They are read only once, because the file may be a pipe. */
        private static InputStream certificates(Path file) throws IOException {
            byte[] pem = Files.readAllBytes(file);
            if (!CERTIFICATE
                    .matcher(new String(pem, StandardCharsets.ISO_8859_1))
                    .find()) {
                throw new IllegalArgumentException(file + " contains no PEM certificates");
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
         * Sends a bearer token with each call and stream. Without TLS, anyone on the network path can read it.
         *
         * @param token supplies the current token before each call and stream; must be fast. If it throws, or the token
         *     contains white space, the call fails with UNAUTHENTICATED
         */
        public Builder token(Supplier<String> token) {
            this.token = token;
            return this;
        }

        /** Sets the channel credentials, instead of {@link #tls}; none by default. */
        public Builder credentials(ChannelCredentials credentials) {
            this.credentials = credentials;
            return this;
        }

        /**
         * Sets the deadline of each unary call, including retries: more than zero, 10 seconds by default.
         * {@link PlacementClient#within} overrides it. Streams have no deadline.
         */
        public Builder deadline(Duration deadline) {
            this.deadline = deadline;
            return this;
        }

        /**
         * Sets how long a connection with open calls or streams may be silent before a keep-alive ping: at least 10
         * seconds, 30 by default. Calls on a dead connection fail with UNAVAILABLE.
         *
         * @throws IllegalArgumentException if it is shorter, because servers reject frequent pings
         */
        public Builder keepAlive(Duration silence) {
            if (silence.compareTo(SHORTEST_SILENCE) < 0) {
                throw new IllegalArgumentException("keepAlive must be at least 10 seconds, was " + silence);
            }
            this.keepAlive = silence;
            return this;
        }

        /**
         * Sets the maximum number of attempts per unary call while the server is unavailable: 1 to 5; by default 4, or
         * 5 with several replicas. See {@link RemotePlacement#serviceConfig}. gRPC does not retry a call that loses its
         * connection after its response has begun; the client repeats such a call up to the same number of times.
         */
        public Builder attempts(int attempts) {
            this.attempts = attempts;
            return this;
        }

        /**
         * Balances calls round-robin over the servers behind the target, for example a headless service:
         * {@code dns:///evenkeel.kube-system:7450}. Only servers whose health check passes receive calls. If there is
         * none, calls wait for one until their deadline, and then fail with UNAVAILABLE. So during a rolling restart,
         * queries that require no revision do not fail.
         *
         * <p>Revisions, node tables and node sets belong to one server. The other servers reject queries that name
         * them.
         */
        public Builder roundRobin() {
            roundRobin = true;
            return this;
        }

        /**
         * Sets the maximum size of a response in bytes: 64 MiB by default. A call with a larger response fails with
         * RESOURCE_EXHAUSTED.
         */
        public Builder maxAnswerBytes(int bytes) {
            this.maxAnswerBytes = bytes;
            return this;
        }

        /**
         * Sets the executor that completes the futures of calls and streams; gRPC's own pool by default.
         * {@code Runnable::run} completes them in the network thread. That is faster, but dependent stages must not
         * block then.
         */
        public Builder executor(Executor executor) {
            this.executor = executor;
            return this;
        }

        /** Changes any other channel setting: interceptors, a user agent, a proxy. Applied last. */
        public Builder channel(Consumer<ManagedChannelBuilder<?>> settings) {
            this.channelSettings = settings;
            return this;
        }

        /** Builds the client. The first call opens the connection. */
        public PlacementClient build() {
            ManagedChannel channel = openChannel();
            try {
                return PlacementClient.over(new RemoteTransport(channel, maxAttempts()), deadline);
            } catch (RuntimeException refused) {
                channel.shutdownNow();
                throw refused;
            }
        }

        /**
         * Builds a channel with these settings for the caller's own stubs. The caller closes it. The first call opens
         * the connection. The channel has no deadline, and does not repeat calls whose response has begun.
         */
        public ManagedChannel openChannel() {
            int most = maxAttempts();
            ManagedChannelBuilder<?> builder = builder(target, credentials)
                    .defaultServiceConfig(
                            roundRobin ? ServiceConfig.amongReplicas(most) : ServiceConfig.withAttempts(most))
                    .retryBufferSize(4L * RETRY_BUFFER_BYTES)
                    .perRpcBufferLimit(RETRY_BUFFER_BYTES)
                    .maxInboundMessageSize(maxAnswerBytes)
                    .keepAliveTime(TimeUnit.NANOSECONDS.convert(keepAlive), TimeUnit.NANOSECONDS)
                    .keepAliveTimeout(10, TimeUnit.SECONDS);
            if (target.startsWith(SOCKET) && builder instanceof NettyChannelBuilder netty) {
                // gRPC sets this for TCP, and Netty warns about each connection that does not support it.
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

        private int maxAttempts() {
            int usual = roundRobin ? ATTEMPTS_AMONG_REPLICAS : USUAL_ATTEMPTS;
            return attempts == null ? usual : attempts;
        }
    }
}
