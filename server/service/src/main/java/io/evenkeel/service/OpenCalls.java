package io.evenkeel.service;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.evenkeel.operations.LatencyBuckets;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.health.v1.HealthGrpc;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * All open calls, and the bounds on what they hold in total. Calls that change the state have their own budget, so that
 * queries cannot keep them out. So have health checks, because anyone can make them. Thread-safe.
 */
final class OpenCalls extends ServerStreamTracer.Factory implements ServerInterceptor, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(OpenCalls.class.getName());
    private static final long MAX_CHECK_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int CHECKS_PER_STALL = 8;

    /** Anyone can check health. Such requests are small, so a small total suffices. */
    private static final long MAX_HEALTH_BYTES = 64 << 10;

    private static final Set<String> WRITES = Set.of(
            ClusterStateGrpc.getSyncMethod().getFullMethodName(),
            ClusterStateGrpc.getSyncAndEvaluateMethod().getFullMethodName(),
            ClusterStateGrpc.getApplyMethod().getFullMethodName(),
            ClusterStateGrpc.getAssumeMethod().getFullMethodName(),
            ClusterStateGrpc.getForgetMethod().getFullMethodName());

    private static final String WATCH = PlacementGrpc.getWatchUnblockedMethod().getFullMethodName();
    private static final String HEALTH = HealthGrpc.SERVICE_NAME + '/';

    private final TransportLimits limits;
    private final ByteBudget ofQueries;
    private final ByteBudget ofWrites;
    private final ByteBudget ofHealth = new ByteBudget(MAX_HEALTH_BYTES);
    private final Set<OpenCall> calls = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor timer;
    private final MeterRegistry meters;
    private final RefusalMetrics refusals;
    private final ErrorReasonMetrics errors;

    /** Keyed by the full name of the method. */
    private final Map<String, Timer> messageTimes;

    private volatile boolean stopping;

    /** The time, updated at each check of the calls, so that reading it costs nothing. */
    private volatile long now = System.nanoTime();

    OpenCalls(TransportLimits limits, RefusalMetrics refusals, MeterRegistry meters) {
        this.limits = limits;
        this.refusals = refusals;
        ofQueries = new ByteBudget(limits.bytesInFlight());
        ofWrites = new ByteBudget(limits.bytesInFlight());
        this.meters = meters;
        errors = new ErrorReasonMetrics(meters);
        messageTimes = Map.ofEntries(
                messageTimes(PlacementGrpc.getEvaluateStreamMethod(), meters),
                messageTimes(ClusterStateGrpc.getSyncMethod(), meters),
                messageTimes(ClusterStateGrpc.getSyncAndEvaluateMethod(), meters));
        held(ofQueries, "queries");
        held(ofWrites, "feeds");
        open("unary", true);
        open("stream", false);
        timer = new ScheduledThreadPoolExecutor(
                1,
                new ThreadFactoryBuilder()
                        .setNameFormat("evenkeel-calls")
                        .setDaemon(true)
                        .build());
        long every = Math.max(1, Math.min(MAX_CHECK_INTERVAL_NANOS, stalledNanos() / CHECKS_PER_STALL));
        ScheduledFuture<?> unused = timer.scheduleWithFixedDelay(this::check, every, every, TimeUnit.NANOSECONDS);
    }

    private static Map.Entry<String, Timer> messageTimes(MethodDescriptor<?, ?> method, MeterRegistry meters) {
        Timer.Builder times = Timer.builder("evenkeel.stream.message.duration")
                .description("Time to answer messages of streams; one in " + OrderedStream.TIMED_ONE_IN)
                .tag("service", String.valueOf(method.getServiceName()))
                .tag("method", String.valueOf(method.getBareMethodName()));
        return Map.entry(
                method.getFullMethodName(), LatencyBuckets.OF_MESSAGES.in(times).register(meters));
    }

    private void held(ByteBudget budget, String of) {
        Gauge.builder("evenkeel.server.bytes", budget, ByteBudget::held)
                .description("Bytes of requests and answers in progress, except small ones")
                .tag("of", of)
                .register(meters);
    }

    private void open(String type, boolean unary) {
        Gauge.builder(
                        "evenkeel.server.calls",
                        calls,
                        open -> open.stream()
                                .filter(call -> call.isUnary() == unary)
                                .count())
                .description("Calls in progress")
                .tag("type", type)
                .register(meters);
    }

    /** Counts the calls that are rejected at a limit or for lack of a right. */
    RefusalMetrics refusals() {
        return refusals;
    }

    /** Counts the calls that end with an error. */
    ErrorReasonMetrics errors() {
        return errors;
    }

    private long stalledNanos() {
        return limits.stalledAfter().toNanos();
    }

    Duration stalledAfter() {
        return limits.stalledAfter();
    }

    long now() {
        return now;
    }

    void remove(OpenCall call) {
        calls.remove(call);
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        OpenCall call = new OpenCall(this, budget(method), messageTimes.get(method));
        calls.add(call);
        return call;
    }

    /**
     * Whether a method changes the state: {@code Sync}, {@code SyncAndEvaluate}, {@code Apply}, {@code Assume} and
     * {@code Forget}.
     */
    static boolean isWrite(String method) {
        return WRITES.contains(method);
    }

    /** Whether a method is a stream that also sends messages which answer none of the caller's. */
    static boolean isWatch(String method) {
        return method.equals(WATCH);
    }

    /** Whether a method checks health, which anyone may do. */
    static boolean isHealth(String method) {
        return method.startsWith(HEALTH);
    }

    private ByteBudget budget(String method) {
        if (isWrite(method)) {
            return ofWrites;
        }
        return isHealth(method) ? ofHealth : ofQueries;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        OpenCall open = OpenCall.current();
        if (open == null) {
            throw new IllegalStateException("call has no stream tracer");
        }
        OpenCall.Guarded<Q, A> guarded = open.guard(call);
        boolean sendsOneMessage = call.getMethodDescriptor().getType().clientSendsOneMessage();
        if (stopping) {
            open.endIfStream();
        }
        return new ForwardingServerCallListener.SimpleForwardingServerCallListener<>(next.startCall(guarded, headers)) {
            @Override
            public void onMessage(Q message) {
                if (!sendsOneMessage) {
                    open.messageBegins();
                    // Not every transport reports that it is ready again.
                    guarded.giveBackWhatIsSent();
                }
                super.onMessage(message);
            }

            @Override
            public void onReady() {
                guarded.giveBackWhatIsSent();
                super.onReady();
            }

            @Override
            public void onHalfClose() {
                open.requestIsThere();
                super.onHalfClose();
            }

            @Override
            public void onComplete() {
                if (guarded.isEnded()) {
                    // To the service, this is a cancelled call.
                    super.onCancel();
                } else {
                    super.onComplete();
                }
            }
        };
    }

    /** Ends all streams, including future ones, with UNAVAILABLE. */
    void endStreams() {
        stopping = true;
        calls.forEach(OpenCall::endIfStream);
    }

    /** Ends all calls with UNAVAILABLE. */
    void endAll() {
        calls.forEach(OpenCall::endAsServerStops);
    }

    private void check() {
        long time = System.nanoTime();
        now = time;
        for (OpenCall call : calls) {
            try {
                call.check(time, stalledNanos());
            } catch (RuntimeException e) {
                // An exception would stop the timer, and no call would be checked again.
                LOG.log(System.Logger.Level.ERROR, "failed to check an open call", e);
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
