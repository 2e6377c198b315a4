package io.evenkeel.lab.kube;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.WatchEvent;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Measures how late answers are. When a bare watch receives a pod event, a question that requires the event's
 * resourceVersion is sent at once. Its answer reflects the event.
 */
final class EventLatency implements AutoCloseable {
    private static final long LONGEST_NANOS = 60_000_000_000L;
    private final PlacementClient client;
    private final BareClient bare;
    private final EvaluateRequest question;
    private final AtomicLong newest = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Histogram latencies = noLatencies();

    /** @param pod the pod that each question is about */
    EventLatency(String target, Path kubeconfig, Pod pod) throws IOException {
        client = RemotePlacement.builder(target)
                .deadline(Duration.ofMinutes(1))
                .executor(Runnable::run)
                .build();
        bare = new BareClient(kubeconfig);
        question = Query.of(pod).best(1).toEvaluate();
        WatchFrames frames = new WatchFrames(Integer.MAX_VALUE, frame -> {
            WatchEvent event = WatchEvent.of(frame);
            long received = System.nanoTime();
            if (!event.type().equals("BOOKMARK")) {
                long version = Long.parseLong(event.version());
                newest.set(version);
                ask(version, received);
            }
        });
        CompletableFuture<?> unused = bare.watch(ObjectKind.POD, frames::read).whenComplete((ended, why) -> {
            failure.compareAndSet(null, why == null ? new IOException("the pod watch has ended") : why);
        });
    }

    private static Histogram noLatencies() {
        return new ConcurrentHistogram(LONGEST_NANOS, 3);
    }

    private void ask(long version, long received) {
        Histogram into = latencies;
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

    /**
     * The times, in nanoseconds, from the watch's receipt of each event that arrives within this time to its answer.
     */
    Histogram ofEvents(double seconds) throws IOException, InterruptedException {
        Histogram begun = noLatencies();
        latencies = begun;
        TimeUnit.MILLISECONDS.sleep((long) (seconds * 1_000));
        latencies = noLatencies();
        requireWell();
        return begun;
    }

    /**
     * The control: latencies of the same questions at the same rate, about the newest event, while no events arrive.
     */
    Histogram idle(double seconds, int perSecond) throws IOException, InterruptedException {
        Histogram begun = noLatencies();
        latencies = begun;
        long begin = System.nanoTime();
        for (long i = 0; i < seconds * perSecond; i++) {
            TimeUnit.NANOSECONDS.sleep(Math.max(0, begin + i * 1_000_000_000 / perSecond - System.nanoTime()));
            ask(newest.get(), System.nanoTime());
        }
        TimeUnit.MILLISECONDS.sleep(100);
        requireWell();
        return begun;
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
        client.close();
    }
}
