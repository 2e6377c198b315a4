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
    private static final long POLL_MILLIS = 200;

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
        if (shape != RaceShape.CHANGE) {
            pods.create(server);
            return run(side, stock, pods, null);
        }
        try (Rollouts rollouts = Rollouts.start(plane, cluster)) {
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
            PeakMemory memory;
            Metrics metrics;
            Metrics inSecondHalf;
            List<RolloutProgress> rolled;
            long killed = 0;
            long started = 0;
            long back = 0;
            try (Contender contender = Contender.start(
                    side,
                    plane,
                    options,
                    new RaceWarmUp(server, pods.incoming(), nodes(), options.leadInSeconds(), options.work()))) {
                if (rollouts != null) {
                    // The first pods of the Deployments would wait behind the pods of the turn.
                    rollouts.create();
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
                    restartEvenkeel(contender, kubelets);
                    back = System.nanoTime();
                }
                kubelets.await(options.bind(), options.patienceSeconds());
                took = ProcessorTimes.now(contender, plane).since(before);
                unbound = UnboundPods.describe(server, kubelets.unbound());
                changes.end();
                rolled = rollouts == null ? null : rollouts.await();
                memory = PeakMemory.of(contender);
                metrics = contender.metrics();
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
                    memory,
                    recount.violated(),
                    stock == null ? List.of() : recount.beyond(stock),
                    AnswerSources.of(metrics),
                    outage,
                    side.asksEvenkeel() ? Comparisons.of(metrics) : null,
                    rolled);
            return new Outcome(result, recount);
        }
    }

    /**
     * Starts Evenkeel again, and waits until it has answered in a scheduling cycle, which it does once the scheduler
     * has sent the whole snapshot. Does not wait longer than the turn does for its pods.
     */
    private void restartEvenkeel(Contender contender, Kubelets kubelets) throws IOException, InterruptedException {
        long before = answeredCycles(contender);
        contender.restartEvenkeel();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.patienceSeconds());
        while (answeredCycles(contender) == before
                && kubelets.bound().size() < options.bind()
                && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private static long answeredCycles(Contender contender) {
        return AnswerSources.byEvenkeel(AnswerSources.of(contender.metrics()));
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
