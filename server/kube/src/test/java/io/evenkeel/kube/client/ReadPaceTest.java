package io.evenkeel.kube.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ReadPaceTest {
    private static final int EVENT = 1_700;
    private static final long MILLI = 1_000_000;

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 7 * MILLI);
    private final ReadPace pace = new ReadPace(now::get);

    /** Reads some bytes a given time after the last read. Returns how long the reader may rest afterwards. */
    private long read(int bytes, long after) {
        now.addAndGet(after);
        pace.read(bytes);
        return pace.rest();
    }

    /** Reads an event every two milliseconds, until their rate is known. */
    private void comeCloseTogether() {
        for (int i = 0; i < 10; i++) {
            read(EVENT, 2 * MILLI);
        }
        assertEquals(ReadPace.REST_NANOS, read(EVENT, 2 * MILLI));
    }

    @Test
    void eventsThatComeCloseTogether_gather() {
        comeCloseTogether();
        for (int i = 0; i < 100; i++) {
            // After a rest, a read gets everything that has arrived.
            assertEquals(ReadPace.REST_NANOS, read(5 * EVENT, ReadPace.REST_NANOS + MILLI / 2));
        }
        now.addAndGet(3 * MILLI);
        assertEquals(ReadPace.REST_NANOS - 3 * MILLI, pace.rest(), "a rest begins where the last read ended");
        now.addAndGet(ReadPace.REST_NANOS);
        assertEquals(0, pace.rest());
    }

    @Test
    void seldomEvents_areReadAtOnce() {
        for (int i = 0; i < 10; i++) {
            assertEquals(0, read(EVENT, ReadPace.CLOSE_NANOS));
        }
    }

    @Test
    void anAnswer_isReadAtOnce() {
        comeCloseTogether();
        pace.sent();
        assertEquals(0, read(EVENT, 2 * MILLI));
        assertEquals(ReadPace.REST_NANOS, read(EVENT, 2 * MILLI));
    }

    /** As in a list whose reader is as fast as its connection: small reads follow large ones. */
    @Test
    void ifMuchComes_nothingWaits() {
        comeCloseTogether();
        long rested = 0;
        for (int i = 0; i < 10_000; i++) {
            long rest = read(i % 3 == 0 ? 1 << 15 : 100, MILLI / 10);
            now.addAndGet(rest);
            rested += rest;
        }
        long all = rested;
        // It may rest until it is known that many bytes arrive.
        assertTrue(all <= 2 * ReadPace.REST_NANOS, () -> "it rested for " + all);
    }
}
