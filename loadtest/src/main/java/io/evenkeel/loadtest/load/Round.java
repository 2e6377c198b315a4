package io.evenkeel.loadtest.load;

import io.grpc.Channel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A short load run and its result, for measurements that compare several runs.
 *
 * @param nanos the duration of the run
 * @param latencies the latency of each call, in nanoseconds from when it was due
 */
public record Round(long nanos, Histogram latencies, List<ErrorCount> errors) {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Sends messages on one stream, with {@code inProgress} of them in flight at the same time. */
    public static <Q, A> Round ofStream(Channel channel, LoadQuestions<Q, A> questions, int inProgress, Duration length)
            throws InterruptedException {
        LatencyRecording recording = new LatencyRecording(System.nanoTime());
        try (StreamCaller<Q, A> caller = new StreamCaller<>(channel, questions, TIMEOUT, Clock.SYSTEM)) {
            return of(new ClosedLoop(inProgress, Clock.SYSTEM, caller, recording), recording, length);
        }
    }

    /** Makes unary calls on schedule, {@code rate} per second. */
    public static <Q, A> Round ofUnary(Channel channel, LoadQuestions<Q, A> questions, double rate, Duration length)
            throws InterruptedException {
        LatencyRecording recording = new LatencyRecording(System.nanoTime());
        try (UnaryCaller<Q, A> caller = new UnaryCaller<>(channel, questions, TIMEOUT)) {
            return of(new OpenLoop(rate, Clock.SYSTEM, caller, recording), recording, length);
        }
    }

    private static Round of(Loop loop, LatencyRecording recording, Duration length) throws InterruptedException {
        long start = System.nanoTime();
        long end = start + length.toNanos();
        loop.run(start, end);
        long last = end + TIMEOUT.toNanos();
        while (loop.inProgress() > 0 && System.nanoTime() - last < 0) {
            Clock.SYSTEM.sleepUntil(System.nanoTime() + LOOK_EVERY_NANOS);
        }
        return new Round(length.toNanos(), recording.nextLatencies(), recording.errors());
    }

    /** Calls per second. */
    public double rate() {
        return latencies.getTotalCount() * 1e9 / nanos;
    }
}
