package io.evenkeel.kube;

import java.util.function.LongSupplier;

/**
 * Says how long the reader of a connection may rest before it reads on, so that a read takes several events: where
 * bytes come unasked, few of them, and shortly one after the other. Used by one reader at a time; any thread may send.
 */
final class ReadPace {
    /** The longest rest: an event that nobody asks for is read so much later. */
    static final long REST_NANOS = 10_000_000;

    /** No rest where reads are further apart: nothing would gather. */
    static final long CLOSE_NANOS = 2 * REST_NANOS;

    /** No rest where more bytes come in its time: a list or a burst must not wait for the room of a connection. */
    static final int MOST_BYTES = 16 << 10;

    private final LongSupplier clock;

    /** Whether something was sent since the last read began: the next one waits for its answer. */
    private volatile boolean asked;

    /** When the last read ended, and how long after the one before it. */
    private long readAt;

    private long apart = Long.MAX_VALUE;

    /** Since when bytes are counted: for the time of a rest at least. */
    private long countedSince;

    private long bytes;

    /** Whether few bytes came in the time that was counted last. */
    private boolean few;

    /** @param clock nanoseconds from any origin */
    ReadPace(LongSupplier clock) {
        this.clock = clock;
        readAt = clock.getAsLong();
        countedSince = readAt;
    }

    /** Something is sent. */
    void sent() {
        asked = true;
    }

    /** A read has ended. */
    void read(int count) {
        long now = clock.getAsLong();
        apart = now - readAt;
        readAt = now;
        bytes += Math.max(0, count);
        long time = now - countedSince;
        if (time >= REST_NANOS) {
            few = bytes <= MOST_BYTES * (time / REST_NANOS);
            countedSince = now;
            bytes = 0;
        }
    }

    /** How long the reader may rest now, before it reads on; 0 for not at all. */
    long rest() {
        if (asked) {
            asked = false;
            return 0;
        }
        return few && apart < CLOSE_NANOS ? Math.max(0, readAt + REST_NANOS - clock.getAsLong()) : 0;
    }
}
