package io.evenkeel.kube.client;

import java.util.function.LongSupplier;

/**
 * Decides how long the reader of a connection rests before it reads more, so that one read gets several events. It
 * rests only if few bytes arrive, unrequested and in quick succession. Used by one reader at a time; any thread may
 * send.
 */
final class ReadPace {
    /** The longest rest, and so the longest delay of an unrequested event. */
    static final long REST_NANOS = 10_000_000;

    /** No rest if reads are further apart than this, because there would be nothing to batch. */
    static final long CLOSE_NANOS = 2 * REST_NANOS;

    /** No rest if more bytes than this arrive during it: a list or burst must not fill the connection's buffers. */
    static final int MAX_BYTES = 16 << 10;

    private final LongSupplier clock;

    /** Whether something was sent since the last read began, so that the next read waits for the response. */
    private volatile boolean asked;

    /** When the last read ended, and how long after the previous one. */
    private long readAt;

    private long apart = Long.MAX_VALUE;

    /** When counting of bytes began. A count covers at least the time of a rest. */
    private long countedSince;

    private long bytes;

    /** Whether few bytes arrived during the last count. */
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
            few = bytes <= MAX_BYTES * (time / REST_NANOS);
            countedSince = now;
            bytes = 0;
        }
    }

    /** How long the reader may rest before its next read, in nanoseconds; 0 for no rest. */
    long rest() {
        if (asked) {
            asked = false;
            return 0;
        }
        return few && apart < CLOSE_NANOS ? Math.max(0, readAt + REST_NANOS - clock.getAsLong()) : 0;
    }
}
