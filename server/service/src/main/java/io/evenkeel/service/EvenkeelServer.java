package io.evenkeel.service;

import io.evenkeel.operations.InstanceMetrics;
import io.evenkeel.operations.ServerHealth;
import io.evenkeel.placement.Instance;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.micrometer.core.instrument.binder.grpc.MetricCollectingServerInterceptor;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The gRPC server: both services, health and reflection over one {@link Instance}, and the further services of the
 * options. Safe for use by several threads.
 */
public final class EvenkeelServer implements AutoCloseable {
    private static final Duration FORCED_WITHIN = Duration.ofSeconds(5);

    /**
     * How often a client may probe its connection. Feeds may be silent for long, so clients must be allowed to probe
     * more often than gRPC's default of five minutes.
     */
    private static final Duration PROBED_AT_MOST_EVERY = Duration.ofSeconds(5);

    private static final Duration HANDSHAKE_WITHIN = Duration.ofSeconds(10);

    /** After how much silence a connection is probed, so that one whose other side is gone releases what it holds. */
    private static final Duration PROBED_AFTER = Duration.ofMinutes(1);

    private static final Duration PROBE_ANSWERED_WITHIN = Duration.ofSeconds(20);

    /**
     * How many bytes a connection may send before a stream asks for them. Fixed, because gRPC would otherwise let it
     * grow to 8 MiB for each connection.
     */
    private static final int WINDOW_BYTES = 256 << 10;

    private final Instance instance;
    private final InstanceMetrics holdings;
    private final WorkerPools pools;
    private final OpenCalls calls;
    private final ServerHealth health;
    private final Server server;
    private final Duration stopWithin;

    private EvenkeelServer(ServerBuilder<?> transport, ServerOptions options) {
        instance = new Instance(options.instance());
        stopWithin = options.stopWithin();
        health = new ServerHealth(instance.clusterState());
        holdings = new InstanceMetrics(instance, options.meters());
        calls = new OpenCalls(options.transport(), options.meters());
        pools = new WorkerPools(calls::refusedBusy);
        MetricCollectingServerInterceptor metrics = new MetricCollectingServerInterceptor(
                options.meters(), counter -> counter, timer -> timer.publishPercentiles(0.5, 0.99));
        transport
                .directExecutor()
                .maxInboundMessageSize(options.maxMessageBytes())
                .addStreamTracerFactory(calls)
                .addTransportFilter(calls.connections())
                .addService(served(new PlacementService(instance.placement(), pools), metrics))
                .addService(served(new ClusterStateService(instance.clusterState(), pools), metrics))
                .addService(ServerInterceptors.intercept(health.service(), calls))
                .addService(ServerInterceptors.intercept(ProtoReflectionServiceV1.newInstance(), calls))
                .addService(ServerInterceptors.intercept(oldReflection(), calls));
        options.furtherServices()
                .forEach(service -> transport.addService(ServerInterceptors.intercept(service, calls)));
        server = transport.build();
    }

    private ServerServiceDefinition served(BindableService service, ServerInterceptor metrics) {
        // The last interceptor is the first to see a call.
        return ServerInterceptors.intercept(RequestParsing.of(service.bindService(), pools), calls, metrics);
    }

    @SuppressWarnings("deprecation") // Many tools speak v1alpha only.
    private static BindableService oldReflection() {
        return ProtoReflectionService.newInstance();
    }

    /**
     * Starts a server that listens where the options say.
     *
     * @throws IOException where it cannot listen there
     */
    public static EvenkeelServer start(ServerOptions options) throws IOException {
        NettyServerBuilder transport = NettyServerBuilder.forAddress(options.listen())
                .permitKeepAliveTime(PROBED_AT_MOST_EVERY.toNanos(), TimeUnit.NANOSECONDS)
                .permitKeepAliveWithoutCalls(true)
                .handshakeTimeout(HANDSHAKE_WITHIN.toNanos(), TimeUnit.NANOSECONDS)
                .keepAliveTime(PROBED_AFTER.toNanos(), TimeUnit.NANOSECONDS)
                .keepAliveTimeout(PROBE_ANSWERED_WITHIN.toNanos(), TimeUnit.NANOSECONDS)
                .maxConnectionIdle(options.transport().idle().toNanos(), TimeUnit.NANOSECONDS)
                .maxConcurrentCallsPerConnection(options.transport().callsOnConnection())
                .flowControlWindow(WINDOW_BYTES);
        return start(transport, options);
    }

    /**
     * Starts a server on a transport of the caller's, such as one in this process. {@link ServerOptions#listen} is
     * ignored.
     */
    public static EvenkeelServer start(ServerBuilder<?> transport, ServerOptions options) throws IOException {
        EvenkeelServer started = new EvenkeelServer(transport, options);
        try {
            started.server.start();
        } catch (IOException | RuntimeException e) {
            started.release();
            throw e;
        }
        return started;
    }

    /** The port that it listens on; -1 where the transport has none. */
    public int port() {
        return server.getPort();
    }

    /** The instance that it serves. */
    public Instance instance() {
        return instance;
    }

    /** Whether it is alive and ready. */
    public ServerHealth health() {
        return health;
    }

    /** Waits until the server has stopped. */
    public void awaitTermination() throws InterruptedException {
        server.awaitTermination();
    }

    /**
     * Stops gracefully. The server becomes unhealthy and accepts no more calls. Calls that wait for a revision fail at
     * once; other calls under way may end within the time that the options allow, and are then cancelled. Returns when
     * the server has stopped.
     */
    @Override
    public synchronized void close() {
        if (server.isTerminated()) {
            return;
        }
        health.stop();
        server.shutdown();
        instance.close();
        try {
            if (!server.awaitTermination(stopWithin.toNanos(), TimeUnit.NANOSECONDS)) {
                server.shutdownNow();
                server.awaitTermination(FORCED_WITHIN.toNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        release();
    }

    private void release() {
        instance.close();
        pools.close();
        calls.close();
        holdings.close();
    }
}
