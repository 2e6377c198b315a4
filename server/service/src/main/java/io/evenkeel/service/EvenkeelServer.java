package io.evenkeel.service;

import io.evenkeel.access.AccessControl;
import io.evenkeel.operations.InstanceMetrics;
import io.evenkeel.operations.LatencyBuckets;
import io.evenkeel.operations.ServerHealth;
import io.evenkeel.operations.Tracing;
import io.evenkeel.placement.Instance;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.micrometer.core.instrument.binder.grpc.MetricCollectingServerInterceptor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC server: the three services, health and reflection for one {@link Instance}, and the further services from
 * the options. Thread-safe.
 */
public final class EvenkeelServer implements AutoCloseable {
    private final AccessControl access;
    private final Instance instance;
    private final InstanceMetrics holdings;
    private final WorkerPools pools;
    private final OpenCalls calls;
    private final Connections connections;
    private final Acceptor acceptor;

    /** The interceptors of all calls, innermost first. */
    private final List<ServerInterceptor> outside;

    private final ServerHealth health;
    private final List<ListenerServer> servers = new ArrayList<>();

    /** The servers of {@link #channel}. */
    private final List<Server> inProcess = new CopyOnWriteArrayList<>();

    private final MetricCollectingServerInterceptor metrics;
    private final @Nullable Tracing tracing;
    private final List<BindableService> furtherServices;
    private final int maxMessageBytes;
    private final StopTimes times;

    private EvenkeelServer(ServerOptions options) throws IOException {
        access = AccessControl.start(options.access());
        instance = new Instance(options.instance());
        times = options.stop();
        health = new ServerHealth(instance.clusterState());
        tracing = options.tracing();
        furtherServices = options.furtherServices();
        maxMessageBytes = options.maxMessageBytes();
        holdings = new InstanceMetrics(instance, options.meters());
        RefusalMetrics refusals = new RefusalMetrics(options.meters());
        calls = new OpenCalls(options.transport(), refusals, options.meters());
        pools = new WorkerPools(refusals);
        new CertificateMetrics(access, options.meters()).register();
        UnauthenticatedConnections newcomers =
                new UnauthenticatedConnections(options.transport().newcomers(), refusals);
        connections = new Connections(options.transport(), newcomers, refusals);
        acceptor = new Acceptor(newcomers, access, options.transport().stalledAfter(), refusals);
        outside = access.isGuarded()
                ? List.of(connections, new AccessGate(access, refusals, pools), calls)
                : List.of(connections, calls);
        metrics = new MetricCollectingServerInterceptor(
                options.meters(), counter -> counter, LatencyBuckets.OF_CALLS::in);
    }

    private void addServices(ServerBuilder<?> transport, Listener listener) {
        transport
                .directExecutor()
                .maxInboundMessageSize(maxMessageBytes)
                .addStreamTracerFactory(calls)
                .addTransportFilter(connections)
                .addService(served(new PlacementService(instance.placement(), pools)))
                .addService(served(new SimulationService(instance.simulation(), instance.placement(), pools)))
                .addService(served(new ClusterStateService(instance, pools)))
                .addService(guarded(health.service()))
                .addService(guarded(ProtoReflectionServiceV1.newInstance()))
                .addService(guarded(oldReflection()));
        if (tracing != null) {
            tracing.configure(transport);
        }
        if (access.isGuarded()) {
            transport.addTransportFilter(AccessGate.callers(listener));
        }
        furtherServices.forEach(service -> transport.addService(ServerInterceptors.intercept(service, outside)));
    }

    private ServerServiceDefinition served(BindableService service) {
        return ServerInterceptors.intercept(guarded(service), metrics);
    }

    private ServerServiceDefinition guarded(BindableService service) {
        return ServerInterceptors.intercept(RequestParsing.of(service.bindService(), pools), outside);
    }

    @SuppressWarnings("deprecation") // Many tools support only v1alpha.
    private static BindableService oldReflection() {
        return ProtoReflectionService.newInstance();
    }

    /**
     * Starts a server on the listeners in the options.
     *
     * @throws ListenException if it cannot listen on one of them
     * @throws IOException if a file named in the options cannot be used
     */
    public static EvenkeelServer start(ServerOptions options) throws IOException {
        EvenkeelServer started = new EvenkeelServer(options);
        try {
            for (Listener listener : options.listeners()) {
                started.servers.add(ListenerServer.start(
                        listener,
                        started.acceptor,
                        options.transport(),
                        started.access.credentials(),
                        started::addServices));
            }
        } catch (ListenException | RuntimeException e) {
            started.servers.forEach(each -> each.server().shutdownNow());
            started.release();
            throw e;
        }
        started.pools.start();
        return started;
    }

    /** The first port that it listens on; -1 if it has none. */
    public int port() {
        return servers.stream()
                .mapToInt(ListenerServer::port)
                .filter(port -> port >= 0)
                .findFirst()
                .orElse(-1);
    }

    /** The listeners, in the order of the options, with the actual ports. */
    public List<Listener> listeners() {
        return servers.stream().map(ListenerServer::listener).toList();
    }

    /** The instance that it serves. */
    public Instance instance() {
        return instance;
    }

    /** Its certificate, for further servers over HTTPS; null if it has none. New connections get the latest. */
    public @Nullable SSLContext https() {
        return access.https();
    }

    /** Whether callers must authenticate. */
    public boolean isGuarded() {
        return access.isGuarded();
    }

    /**
     * An in-process channel to this server, for code that passes calls on. Calls need the same rights, and have the
     * same limits, as those of one TCP connection without a client certificate. They run on the calling thread, or on a
     * pool if they take long.
     *
     * @param listener the address at which the calls arrive
     */
    public ManagedChannel channel(Listener.Tcp listener) throws IOException {
        String name = InProcessServerBuilder.generateName();
        InProcessServerBuilder builder = InProcessServerBuilder.forName(name);
        addServices(builder, listener);
        inProcess.add(builder.build().start());
        return InProcessChannelBuilder.forName(name).directExecutor().build();
    }

    /** Whether it is alive and ready. */
    public ServerHealth health() {
        return health;
    }

    /** Waits until the server has stopped. */
    public void awaitTermination() throws InterruptedException {
        for (ListenerServer each : servers) {
            each.server().awaitTermination();
        }
    }

    /**
     * Stops gracefully, within the times in the options. The server becomes unhealthy and keeps answering until load
     * balancers notice. Then it accepts no more calls. Streams, and calls that wait for a revision or for object
     * versions, end at once with UNAVAILABLE; other calls in progress can complete. Remaining calls end with
     * UNAVAILABLE too. Returns when the server has stopped or the time is up.
     */
    @Override
    public synchronized void close() {
        if (servers.stream().allMatch(each -> each.server().isTerminated())) {
            return;
        }
        long lameDuckEnds = System.nanoTime() + times.lameDuck().toNanos();
        long callsEnd = lameDuckEnds + times.forCalls().toNanos();
        health.stop();
        try {
            // Waits out the lame-duck time: nothing terminates the servers yet.
            boolean unused = terminatesUntil(lameDuckEnds);
            // End streams before the connections announce their end. Otherwise clients, especially of health, cancel
            // streams
            // that are already ending, and their write to the closed connection fails and discards unread answers.
            calls.endStreams();
            servers.forEach(each -> each.server().shutdown());
            instance.close();
            if (!terminatesUntil(callsEnd)) {
                abort();
                unused = terminatesUntil(callsEnd + times.forBreakingOff().toNanos());
            }
        } catch (InterruptedException e) {
            abort();
            Thread.currentThread().interrupt();
        }
        release();
    }

    /** Ends each call with a status, because clients report the calls of a broken connection as cancelled. */
    private void abort() {
        calls.endAll();
        servers.forEach(each -> each.server().shutdownNow());
    }

    /** @param until the time of {@link System#nanoTime} to wait for */
    private boolean terminatesUntil(long until) throws InterruptedException {
        boolean all = true;
        for (ListenerServer each : servers) {
            all &= each.server().awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
        return all;
    }

    private void release() {
        servers.forEach(ListenerServer::close);
        inProcess.forEach(Server::shutdownNow);
        acceptor.close();
        instance.close();
        pools.close();
        calls.close();
        holdings.close();
        access.close();
    }
}
