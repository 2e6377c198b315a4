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

    /** Sends messages on one stream, with {@code underWay} of them in flight at the same time. */
    public static <Q, A> Round ofStream(Channel channel, Questions<Q, A> questions, int underWay, Duration length)
            throws InterruptedException {
        Recording recording = new Recording(System.nanoTime());
        try (StreamCaller<Q, A> caller = new StreamCaller<>(channel, questions, TIMEOUT, Clock.SYSTEM)) {
            return of(new ClosedLoop(underWay, Clock.SYSTEM, caller, recording), recording, length);
        }
    }

    /** Makes unary calls on schedule, {@code rate} per second. */
    public static <Q, A> Round ofUnary(Channel channel, Questions<Q, A> questions, double rate, Duration length)
            throws InterruptedException {
        Recording recording = new Recording(System.nanoTime());
        try (UnaryCaller<Q, A> caller = new UnaryCaller<>(channel, questions, TIMEOUT)) {
            return of(new OpenLoop(rate, Clock.SYSTEM, caller, recording), recording, length);
        }
    }

    private static Round of(Loop loop, Recording recording, Duration length) throws InterruptedException {
        long start = System.nanoTime();
        long end = start + length.toNanos();
        loop.run(start, end);
        long last = end + TIMEOUT.toNanos();
        while (loop.underWay() > 0 && System.nanoTime() - last < 0) {
            Clock.SYSTEM.sleepUntil(System.nanoTime() + LOOK_EVERY_NANOS);
        }
        return new Round(length.toNanos(), recording.nextLatencies(), recording.errors());
    }

    /** Calls per second. */
    public double rate() {
        return latencies.getTotalCount() * 1e9 / nanos;
    }
}
