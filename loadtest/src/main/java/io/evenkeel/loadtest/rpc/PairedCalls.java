package io.evenkeel.loadtest.rpc;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/** Times Evenkeel calls and echoes alternately, with an event before each. */
final class PairedCalls {
    private static final int DIGITS = 3;

    private final TimedCall<?, ?> call;
    private final TimedCall<?, ?> echo;
    private final SyncedEvents events;

    private PairedCalls(TimedCall<?, ?> call, TimedCall<?, ?> echo, SyncedEvents events) {
        this.call = call;
        this.echo = echo;
        this.events = events;
    }

    /** The times of both, in nanoseconds. */
    record Times(Histogram call, Histogram echo) {
        double ratio() {
            return call.getValueAtPercentile(50) / (double) echo.getValueAtPercentile(50);
        }

        RpcRow row(String what, String target, boolean holds) {
            return new RpcRow(
                    what,
                    call.getTotalCount(),
                    call.getValueAtPercentile(50),
                    call.getValueAtPercentile(99),
                    echo.getValueAtPercentile(50),
                    ratio(),
                    0,
                    0,
                    target,
                    holds);
        }
    }

    /** Warms up both, times them, and closes them. */
    static Times time(TimedCall<?, ?> call, TimedCall<?, ?> echo, SyncedEvents events, Duration warmUp, Duration length)
            throws InterruptedException, FailedCallException {
        try (call;
                echo) {
            PairedCalls pair = new PairedCalls(call, echo, events);
            pair.run(warmUp);
            return pair.run(length);
        }
    }

    private Times run(Duration length) throws InterruptedException, FailedCallException {
        Times times = new Times(new Histogram(DIGITS), new Histogram(DIGITS));
        long end = System.nanoTime() + length.toNanos();
        do {
            events.next();
            times.call.recordValue(call.time());
            events.next();
            times.echo.recordValue(echo.time());
        } while (System.nanoTime() - end < 0);
        return times;
    }
}
