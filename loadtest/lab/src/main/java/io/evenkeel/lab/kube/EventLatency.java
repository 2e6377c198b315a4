package io.evenkeel.lab.kube;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Measures how late answers are. When a bare watch receives a pod event, a question that requires the event's
 * resourceVersion is sent at once. Its answer reflects the event. A second bare watch shows how much later another
 * client of the same API server receives the same event.
 */
final class EventLatency implements AutoCloseable {
    private static final long LONGEST_NANOS = 60_000_000_000L;
    private static final Long EARLIER = Long.MIN_VALUE;

    private final PlacementClient client;
    private final BareClient bare;
    private final BareClient second;
    private final EvaluateRequest question;
    /**
     * When the first watch received a resourceVersion that the second has not received yet. {@link #EARLIER} if the
     * second watch was first.
     */
    private final Map<Long, Long> receivedAt = new ConcurrentHashMap<>();

    private final AtomicLong newest = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Latencies latencies = Latencies.none();

    /**
     * The latencies of the events of a period, in nanoseconds.
     *
     * @param answers from the watch's receipt of the event to the answer
     * @param secondWatch from the watch's receipt of the event to the second watch's; 0 if the second was first
     */
    record Latencies(Histogram answers, Histogram secondWatch) {
        private static Latencies none() {
            return new Latencies(new ConcurrentHistogram(LONGEST_NANOS, 3), new ConcurrentHistogram(LONGEST_NANOS, 3));
        }
    }

    /** @param pod the pod that each question is about */
    EventLatency(String target, Path kubeconfig, Pod pod) throws IOException {
        client = RemotePlacement.builder(target)
                .deadline(Duration.ofMinutes(1))
                .executor(Runnable::run)
                .build();
        bare = new BareClient(kubeconfig);
        second = new BareClient(kubeconfig);
        question = Query.of(pod).best(1).toEvaluate();
        watch(second, this::secondReceived);
        watch(bare, (version, received) -> {
            newest.set(version);
            if (receivedAt.putIfAbsent(version, received) != null) {
                receivedAt.remove(version);
            }
            ask(version, received);
        });
    }

    private interface Received {
        void event(long version, long atNanos);
    }

    private void watch(BareClient client, Received receiver) throws IOException {
        WatchFrames frames = new WatchFrames(event -> {
            long received = System.nanoTime();
            if (!event.type().equals("BOOKMARK")) {
                receiver.event(Long.parseLong(event.version()), received);
            }
        });
        CompletableFuture<?> unused = client.watch(ObjectKind.POD, frames::read).whenComplete((ended, why) -> {
            failure.compareAndSet(null, why == null ? new IOException("a pod watch has ended") : why);
        });
    }

    private void secondReceived(long version, long received) {
        Long before = receivedAt.putIfAbsent(version, EARLIER);
        if (before != null) {
            receivedAt.remove(version);
        }
        latencies
                .secondWatch()
                .recordValue(before == null ? 0 : Math.min(LONGEST_NANOS, Math.max(0, received - before)));
    }

    private void ask(long version, long received) {
        Histogram into = latencies.answers();
        EvaluateRequest demanding = question.toBuilder()
                .setFreshness(Freshness.newBuilder()
                        .addResourceVersions(KindVersion.newBuilder()
                                .setKind(KindMessages.inMessages(ObjectKind.POD))
                                .setResourceVersion(Long.toString(version))))
                .build();
        CompletableFuture<?> unused = client.async().evaluate(demanding).whenComplete((answer, why) -> {
            into.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - received));
            if (why != null) {
                failure.compareAndSet(null, why);
            } else if (answer.getAnswers(0).hasError()) {
                failure.compareAndSet(
                        null, new IOException(answer.getAnswers(0).getError().getMessage()));
            }
        });
    }

    /** Measures the events that arrive within this time. */
    Latencies ofEvents(double seconds) throws IOException, InterruptedException {
        Latencies begun = Latencies.none();
        latencies = begun;
        TimeUnit.MILLISECONDS.sleep((long) (seconds * 1_000));
        latencies = Latencies.none();
        requireWell();
        return begun;
    }

    /**
     * The control: latencies of the same questions at the same rate, about the newest event, while no events arrive.
     */
    Histogram idle(double seconds, int perSecond) throws IOException, InterruptedException {
        Latencies begun = Latencies.none();
        latencies = begun;
        long begin = System.nanoTime();
        for (long i = 0; i < seconds * perSecond; i++) {
            TimeUnit.NANOSECONDS.sleep(Math.max(0, begin + i * 1_000_000_000 / perSecond - System.nanoTime()));
            ask(newest.get(), System.nanoTime());
        }
        TimeUnit.MILLISECONDS.sleep(100);
        requireWell();
        return begun.answers();
    }

    private void requireWell() throws IOException {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IOException("the question about an event failed", failed);
        }
    }

    @Override
    public void close() {
        bare.close();
        second.close();
        client.close();
    }
}
