package io.evenkeel.loadtest.load;

import io.evenkeel.loadtest.text.Numbers;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Runs a loop: first the warm-up, then the measurement, second by second, until the last call has ended. */
final class LoadRun {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(5);

    private final Duration warmUp;
    private final Duration duration;
    private final Duration timeout;
    private final Clock clock;
    private final PrintWriter out;
    private final Histogram latencies = new Histogram(3);
    private final Histogram delays = new Histogram(3);
    private final List<Second> seconds = new ArrayList<>();
    private long failedBefore;

    /**
     * @param timeout how long to wait for calls in flight at the end
     * @param out shows progress every second
     */
    LoadRun(Duration warmUp, Duration duration, Duration timeout, Clock clock, PrintWriter out) {
        this.warmUp = warmUp;
        this.duration = duration;
        this.timeout = timeout;
        this.clock = clock;
        this.out = out;
    }

    /**
     * The measurements of a run.
     *
     * @param latencies the latency of each call that was due in the measured time, in nanoseconds from when it was due
     * @param delays how many nanoseconds late each of these calls was made; empty for a closed loop
     * @param failed the number of failed calls, including the warm-up
     */
    record Result(Histogram latencies, Histogram delays, long failed, List<ErrorCount> errors, List<Second> seconds) {}

    /**
     * The calls that ended within one second of a run.
     *
     * @param at when the second ended, in seconds after the end of the warm-up
     */
    record Second(double at, long calls, long failed, long p50Nanos, long p99Nanos, long maxNanos) {}

    /** Creates the loop, which records its calls in {@code recording}. */
    interface Start {
        Loop loop(LatencyRecording recording);
    }

    /** Runs the loop. Closes the caller once the loop has made its last call and all calls have ended or timed out. */
    Result run(Start start, LoadCaller caller) throws InterruptedException {
        long begin = clock.nanos();
        long from = begin + warmUp.toNanos();
        long end = from + duration.toNanos();
        LatencyRecording recording = new LatencyRecording(from);
        Loop loop = start.loop(recording);
        CompletableFuture<Void> made = new CompletableFuture<>();
        Thread thread = new Thread(() -> run(loop, begin, end, made), "evenkeel-load");
        thread.setDaemon(true);
        thread.start();
        try {
            watch(loop, recording, made, from, end);
        } finally {
            end(thread, caller);
        }
        Throwable problem = made.handle((nothing, thrown) -> thrown).join();
        if (problem != null && !(problem instanceof InterruptedException)) {
            throw new IllegalStateException("the loop failed: " + problem, problem);
        }
        while (loop.inProgress() > 0) {
            clock.sleepUntil(clock.nanos() + SOON);
        }
        take(recording, from);
        return new Result(latencies, delays, recording.failed(), recording.errors(), seconds);
    }

    private static void run(Loop loop, long begin, long end, CompletableFuture<Void> made) {
        try {
            loop.run(begin, end);
            made.complete(null);
        } catch (InterruptedException | RuntimeException | Error problem) {
            made.completeExceptionally(problem);
        }
    }

    /**
     * Stops the thread before closing the caller, so that it records the calls that it could not make, and makes none
     * that the caller would not cancel.
     */
    private void end(Thread thread, LoadCaller caller) throws InterruptedException {
        try {
            thread.interrupt();
            thread.join();
        } finally {
            caller.close();
        }
    }

    /** Takes the measurements of each second after the warm-up, until all calls have ended or timed out. */
    private void watch(Loop loop, LatencyRecording recording, CompletableFuture<Void> made, long from, long end)
            throws InterruptedException {
        long last = end + timeout.toNanos();
        long nextSecond = from - warmUp.toNanos() + Math.floorMod(warmUp.toNanos() - 1, SECOND) + 1;
        while (clock.nanos() - last < 0 && !(made.isDone() && loop.inProgress() == 0)) {
            clock.sleepUntil(Math.min(clock.nanos() + SOON * 10, nextSecond));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (clock.nanos() - nextSecond >= 0) {
                report(loop, recording, nextSecond - from > 0 ? take(recording, from) : null);
                nextSecond += SECOND;
            }
        }
    }

    /** Adds the measurements since the last call of this method. Returns null if there were none. */
    private @Nullable Second take(LatencyRecording recording, long from) {
        Histogram latest = recording.nextLatencies();
        latencies.add(latest);
        delays.add(recording.nextDelays());
        long failed = recording.failed();
        Second second = new Second(
                (clock.nanos() - from) / (double) SECOND,
                latest.getTotalCount(),
                failed - failedBefore,
                latest.getValueAtPercentile(50),
                latest.getValueAtPercentile(99),
                latest.getMaxValue());
        failedBefore = failed;
        if (second.calls() == 0 && second.failed() == 0) {
            return null;
        }
        seconds.add(second);
        return second;
    }

    private void report(Loop loop, LatencyRecording recording, @Nullable Second second) {
        String more = Numbers.grouped(recording.failed()) + " failed, " + loop.inProgress() + " in flight";
        out.println(
                second == null
                        ? "  nothing measured yet, " + more
                        : "  %.0f s: %s calls, p50 %s µs, p99 %s µs, %s"
                                .formatted(
                                        second.at(),
                                        Numbers.grouped(second.calls()),
                                        Numbers.micros(second.p50Nanos()),
                                        Numbers.micros(second.p99Nanos()),
                                        more));
    }
}
