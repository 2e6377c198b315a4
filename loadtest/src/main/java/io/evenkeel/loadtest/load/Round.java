package io.evenkeel.loadtest.load;

import io.grpc.Channel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The result of a run of a loop.
 *
 * @param nanos how long calls were measured
 * @param latencies the latency of each call that was due in the measured time, in nanoseconds from when it was due
 * @param failures the latencies of those that failed
 * @param delays how many nanoseconds late each of these calls was made; empty for a closed loop
 * @param failed the number of failed calls, including the warm-up
 */
public record Round(
        long nanos, Histogram latencies, Histogram failures, Histogram delays, long failed, List<ErrorCount> errors) {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Creates the loop, which records its calls in {@code recording}. */
    interface Start {
        Loop loop(LatencyRecording recording);
    }

    /** Sends messages on one stream, with {@code inProgress} of them in flight at the same time. */
    public static <Q, A> Round ofStream(Channel channel, LoadQuestions<Q, A> questions, int inProgress, Duration length)
            throws InterruptedException {
        StreamCaller<Q, A> caller = new StreamCaller<>(channel, questions, TIMEOUT, Clock.SYSTEM);
        return run(
                recording -> new ClosedLoop(inProgress, Clock.SYSTEM, caller, recording),
                caller,
                Duration.ZERO,
                length,
                TIMEOUT);
    }

    /** Makes unary calls on schedule, {@code rate} per second. */
    public static <Q, A> Round ofUnary(Channel channel, LoadQuestions<Q, A> questions, double rate, Duration length)
            throws InterruptedException {
        return ofUnary(channel, questions, rate, Duration.ZERO, length);
    }

    /** The same, but measures only calls that are due after {@code warmUp}. */
    public static <Q, A> Round ofUnary(
            Channel channel, LoadQuestions<Q, A> questions, double rate, Duration warmUp, Duration length)
            throws InterruptedException {
        UnaryCaller<Q, A> caller = new UnaryCaller<>(channel, questions, TIMEOUT);
        return run(recording -> new OpenLoop(rate, Clock.SYSTEM, caller, recording), caller, warmUp, length, TIMEOUT);
    }

    /** Makes unary calls, with {@code inProgress} of them in flight at the same time. */
    public static <Q, A> Round ofUnaryInTurn(
            Channel channel, LoadQuestions<Q, A> questions, int inProgress, Duration warmUp, Duration length)
            throws InterruptedException {
        UnaryCaller<Q, A> caller = new UnaryCaller<>(channel, questions, TIMEOUT);
        return run(
                recording -> new ClosedLoop(inProgress, Clock.SYSTEM, caller, recording),
                caller,
                warmUp,
                length,
                TIMEOUT);
    }

    /**
     * Runs a loop: first the warm-up, then the measurement. Closes the caller once all calls have ended, or have not
     * ended within {@code timeout} after the end.
     */
    static Round run(Start start, LoadCaller caller, Duration warmUp, Duration length, Duration timeout)
            throws InterruptedException {
        long begin = System.nanoTime();
        long from = begin + warmUp.toNanos();
        long end = from + length.toNanos();
        long last = end + timeout.toNanos();
        LatencyRecording recording = new LatencyRecording(from);
        Loop loop = start.loop(recording);
        try (caller) {
            loop.run(begin, end, last);
            while (loop.inProgress() > 0 && System.nanoTime() - last < 0) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
        // Closing the caller has cancelled the others.
        while (loop.inProgress() > 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return new Round(
                length.toNanos(),
                recording.latencies(),
                recording.failures(),
                recording.delays(),
                recording.failed(),
                recording.errors());
    }

    /** The latencies of the calls that succeeded. */
    public Histogram successes() {
        Histogram succeeded = latencies.copy();
        succeeded.subtract(failures);
        return succeeded;
    }

    /** Calls per second. */
    public double rate() {
        return latencies.getTotalCount() * 1e9 / nanos;
    }
}
