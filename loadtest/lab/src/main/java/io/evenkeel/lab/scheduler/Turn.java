package io.evenkeel.lab.scheduler;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One scheduler binds the pods of one shape on a restored cluster. */
final class Turn {
    private static final String ATTEMPT = "scheduler_scheduling_attempt_duration_seconds";
    private static final long AWAY_SECONDS = 5;
    private static final long COMPARED_WITHIN_SECONDS = 120;

    private final ClusterGenerator cluster;
    private final ControlPlane plane;
    private final RaceShape shape;
    private final RaceOptions options;

    Turn(ClusterGenerator cluster, ControlPlane plane, RaceShape shape, RaceOptions options) {
        this.cluster = cluster;
        this.plane = plane;
        this.shape = shape;
        this.options = options;
    }

    /** The figures, and the recount to compare later turns with. */
    record Outcome(TurnResult result, ConstraintRecount recount) {}

    /** @param stock the recount of the stock scheduler's turn; null if this is that turn */
    Outcome run(Side side, @Nullable ConstraintRecount stock) throws IOException, InterruptedException {
        ApiServer server = plane.client();
        RacePods pods = new RacePods(cluster, shape, options.bind());
        if (side == Side.RECORDED) {
            VerdictRecording.write(cluster, pods.incoming(), options.recording());
        }
        if (side != Side.SHADOW) {
            pods.create(server);
        }
        try (Rollouts rollouts = shape == RaceShape.CHANGE ? Rollouts.start(plane, cluster) : null) {
            return run(side, stock, pods, rollouts);
        }
    }

    private Outcome run(Side side, @Nullable ConstraintRecount stock, RacePods pods, @Nullable Rollouts rollouts)
            throws IOException, InterruptedException {
        ApiServer server = plane.client();
        Set<String> keys = pods.keys();
        RaceChanges changes = new RaceChanges(server, cluster, rollouts);
        try (Kubelets kubelets = Kubelets.start(plane.client(), nodes().get(0), keys, count -> {
            if (shape.hasChurn()) {
                changes.bound(count);
            }
        })) {
            List<Long> times;
            List<String> unbound;
            ProcessorTimes took;
            Metrics metrics;
            Metrics inSecondHalf;
            List<Rollout> rolled;
            long killed = 0;
            long started = 0;
            long back = 0;
            try (Contender contender = Contender.start(
                    side,
                    plane,
                    options,
                    new RaceWarmUp(server, pods.incoming(), nodes(), options.leadInSeconds(), options.work()))) {
                if (side == Side.SHADOW) {
                    IdleKinds.wake(server, pods.incoming().get(0).getMetadata().getNamespace());
                    if (rollouts != null) {
                        rollouts.create();
                    }
                    pods.create(server);
                }
                kubelets.await(1, options.patienceSeconds());
                ProcessorTimes before = ProcessorTimes.now(contender, plane);
                kubelets.await(options.bind() / 2, options.patienceSeconds());
                Metrics atHalf = contender.metrics();
                if (side == Side.KILLED) {
                    killed = System.nanoTime();
                    contender.killEvenkeel();
                    TimeUnit.SECONDS.sleep(AWAY_SECONDS);
                    started = System.nanoTime();
                    contender.restartEvenkeel();
                    back = System.nanoTime();
                }
                kubelets.await(options.bind(), options.patienceSeconds());
                took = ProcessorTimes.now(contender, plane).since(before);
                unbound = UnboundPods.describe(server, kubelets.unbound());
                changes.end();
                rolled = rollouts == null ? null : rollouts.await();
                metrics = side == Side.SHADOW ? allCompared(contender) : contender.metrics();
                inSecondHalf = metrics.since(atHalf);
                times = kubelets.bound();
            }
            List<Double> seconds =
                    times.stream().map(time -> secondsBetween(times, time)).toList();
            Outage outage = killed == 0 || times.isEmpty()
                    ? null
                    : Outage.of(
                            secondsBetween(times, killed),
                            secondsBetween(times, started),
                            secondsBetween(times, back),
                            seconds);
            ConstraintRecount recount = ConstraintRecount.of(
                    all(server, ObjectKind.NODE, Node.class), all(server, ObjectKind.POD, Pod.class), keys);
            Metrics.Buckets attempts = inSecondHalf.histogram(ATTEMPT, Map.of("result", "scheduled"));
            TurnResult result = new TurnResult(
                    shape.words(),
                    side.words(),
                    options.bind(),
                    seconds,
                    unbound,
                    TurnResult.rate(seconds),
                    PluginTime.meanMillis(inSecondHalf),
                    PluginTime.p50Millis(inSecondHalf),
                    1e3 * attempts.quantile(0.5),
                    1e3 * attempts.quantile(0.99),
                    took,
                    recount.violated(),
                    stock == null ? List.of() : recount.beyond(stock),
                    AnswerSources.of(metrics),
                    outage,
                    side == Side.SHADOW ? ShadowOutcomes.of(metrics) : null,
                    rolled);
            return new Outcome(result, recount);
        }
    }

    /**
     * The scheduler's metrics once it has compared all answers. It may wait for bookmarks, which arrive once per
     * minute.
     */
    private static Metrics allCompared(Contender contender) throws InterruptedException {
        long begin = System.nanoTime();
        Metrics now = contender.metrics();
        while (ShadowOutcomes.inProgress(now) > 0
                && System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(COMPARED_WITHIN_SECONDS)) {
            TimeUnit.SECONDS.sleep(1);
            now = contender.metrics();
        }
        return now;
    }

    private static double secondsBetween(List<Long> times, long time) {
        return (time - times.get(0)) / 1e9;
    }

    private List<String> nodes() {
        List<String> nodes = new ArrayList<>();
        // Nodes are generated first.
        for (Iterator<ClusterObject> objects = cluster.objects(); objects.hasNext(); ) {
            ClusterObject object = objects.next();
            if (!object.hasNode()) {
                break;
            }
            nodes.add(object.getNode().getMetadata().getName());
        }
        return nodes;
    }

    private static <T extends Message> List<T> all(ApiServer server, ObjectKind kind, Class<T> type)
            throws IOException {
        return server.list(kind).stream().map(type::cast).toList();
    }
}
