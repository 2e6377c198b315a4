package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Feeds;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RecentQueries;
import io.evenkeel.placement.change.Feeder;
import io.evenkeel.placement.query.NodeSets;
import io.evenkeel.placement.query.PlanWarmer;
import io.evenkeel.placement.query.PodCache;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.RequestReader;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Pod;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A server instance without a transport: an engine, the instance's id, and the handlers of the calls. Its threads are
 * daemons. Close it when it is no longer used. Thread-safe.
 */
public final class Instance implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Instance.class.getName());
    private static final long EXPIRY_MILLIS = 500;

    /** One part in this many of the bytes for plans is used for the cache of pods. */
    private static final int PART_OF_KNOWN_PODS = 8;

    private final SpreadEngine engine;
    private final InstanceClock clock;
    private final ScheduledThreadPoolExecutor timer;
    private final EngineAccess access;
    private final PlanWarmer warmer;
    private final Sessions sessions;
    private final PlacementHandler placement;
    private final SimulationHandler simulation;
    private final ClusterStateHandler clusterState;
    private final SyncAndEvaluateHandler syncAndEvaluate;

    public Instance(InstanceOptions options) {
        this(
                options,
                new SpreadEngine(
                        besideKnownPods(options.engine()), options.clock().nanos()));
    }

    private static EngineOptions besideKnownPods(EngineOptions options) {
        return options.withMaxPlanBytes(options.maxPlanBytes() - bytesOfKnownPods(options));
    }

    private static long bytesOfKnownPods(EngineOptions options) {
        return options.maxPlanBytes() / PART_OF_KNOWN_PODS;
    }

    /** @param engine an empty engine */
    Instance(InstanceOptions options, SpreadEngine engine) {
        this.engine = engine;
        clock = options.clock();
        Limits limits = options.limits();
        timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "evenkeel-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        // Unique to this instance. Revisions contain it.
        String id = UUID.randomUUID().toString();
        Feeds feeds = new Feeds(limits.stalledAfter(), clock.nanos());
        RecentQueries recent = new RecentQueries(System::nanoTime);
        access = new EngineAccess(id, "", engine, feeds, timer, limits, recent);
        NodeSets nodeSets = new NodeSets(limits);
        RequestReader reader = new RequestReader(limits, nodeSets, access.tokens(), options.defaults());
        PodCache known = new PodCache(options.engine().maxPlans(), bytesOfKnownPods(options.engine()));
        PodPlans plans = new PodPlans(engine, reader, limits, known);
        LongAdder podsJudged = new LongAdder();
        sessions = new Sessions(access, nodeSets, options.defaults(), limits, podsJudged, timer, clock.nanos());
        placement = new PlacementHandler(access, nodeSets, reader, plans, limits, podsJudged, timer, sessions);
        simulation = new SimulationHandler(access, sessions, plans, options);
        warmer = new PlanWarmer(plans);
        clusterState = new ClusterStateHandler(access, new Feeder(access, warmer::offer), nodeSets, options);
        syncAndEvaluate = new SyncAndEvaluateHandler(clusterState, placement.evaluateStream());
        ScheduledFuture<?> unused =
                timer.scheduleWithFixedDelay(this::expire, EXPIRY_MILLIS, EXPIRY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Compiles the plan of a pod in advance, asynchronously. The parts that it shares with other plans then exist
     * already, and are updated as nodes and pods arrive.
     *
     * @param controllerSelector the selector that the pod's controller will have, which default constraints use; null
     *     for its current one
     */
    public void prepare(Pod pod, @Nullable LabelSelector controllerSelector) {
        warmer.offer(pod, controllerSelector);
    }

    private void expire() {
        try {
            sessions.expire();
            AtomicBoolean more = new AtomicBoolean(true);
            while (more.get()) {
                engine.write(writer -> {
                    writer.expireAssumptions();
                    more.set(writer.isExpiring());
                });
            }
        } catch (RuntimeException e) {
            // If this were thrown, the timer would not run again.
            LOG.log(System.Logger.Level.ERROR, "failed to expire assumed pods or sessions", e);
        }
    }

    public PlacementHandler placement() {
        return placement;
    }

    public SimulationHandler simulation() {
        return simulation;
    }

    public ClusterStateHandler clusterState() {
        return clusterState;
    }

    /** SyncAndEvaluate, of the {@code ClusterState} service. */
    public SyncAndEvaluateHandler syncAndEvaluate() {
        return syncAndEvaluate;
    }

    /** The engine. Writing to it directly does not make the instance ready. */
    public SpreadEngine engine() {
        return engine;
    }

    /** The clock for the expiry of assumptions and the age of feeds. */
    public InstanceClock clock() {
        return clock;
    }

    /** Closes all sessions, and fails the calls that wait for a newer state. Queries are still answered. */
    @Override
    public void close() {
        access.waiting().close();
        sessions.close();
        timer.shutdownNow();
        warmer.close();
    }
}
