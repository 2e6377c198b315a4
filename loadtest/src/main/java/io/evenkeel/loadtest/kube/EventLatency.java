package io.evenkeel.loadtest.kube;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.controlplane.Kind;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.ObjectKind;
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
 * Measures how late answers are. A bare watch receives an event of a pod; at that moment a question is asked that
 * demands its version; the answer counts the event.
 */
final class EventLatency implements AutoCloseable {
    private static final long LONGEST_NANOS = 60_000_000_000L;

    private final PlacementClient client;
    private final BareClient bare;
    private final EvaluateRequest question;
    private final AtomicLong newest = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Histogram latencies = new ConcurrentHistogram(LONGEST_NANOS, 3);

    /** @param pod that each question is about */
    EventLatency(String target, Path kubeconfig, Pod pod) throws IOException {
        client = RemotePlacement.builder(target)
                .deadline(Duration.ofMinutes(1))
                .executor(Runnable::run)
                .build();
        bare = new BareClient(kubeconfig);
        question = Query.of(pod).best(1).toEvaluate();
        WatchFrames frames = new WatchFrames((type, object) -> {
            long received = System.nanoTime();
            if (!type.equals("BOOKMARK")) {
                long version = WatchFrames.version(object);
                newest.set(version);
                ask(version, received);
            }
        });
        CompletableFuture<?> unused = bare.watch(Kind.POD, frames::read).whenComplete((ended, why) -> {
            if (why != null) {
                failure.compareAndSet(null, why);
            }
        });
    }

    private void ask(long version, long received) {
        Histogram into = latencies;
        EvaluateRequest demanding = question.toBuilder()
                .setFreshness(Freshness.newBuilder()
                        .addResourceVersions(KindVersion.newBuilder()
                                .setKind(ObjectKind.OBJECT_KIND_POD)
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

    /** The latencies of answers about the events that come within this time, in nanoseconds. */
    Histogram ofEvents(double seconds) throws IOException, InterruptedException {
        Histogram begun = new ConcurrentHistogram(LONGEST_NANOS, 3);
        latencies = begun;
        TimeUnit.MILLISECONDS.sleep((long) (seconds * 1_000));
        latencies = new ConcurrentHistogram(LONGEST_NANOS, 3);
        requireWell();
        return begun;
    }

    /** The control: the latencies of the same questions at the same rate, about the newest event, while none comes. */
    Histogram idle(double seconds, int perSecond) throws IOException, InterruptedException {
        Histogram begun = new ConcurrentHistogram(LONGEST_NANOS, 3);
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
            throw new IOException("an event was not answered", failed);
        }
    }

    @Override
    public void close() {
        bare.close();
        client.close();
    }
}
