package io.evenkeel.loadtest.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class CallTimesTest {
    @Test
    void percentile_isTheNearestRank() {
        CallTimes times = new CallTimes(200);
        for (int i = 200; i >= 1; i--) {
            times.add(i);
        }
        assertEquals(100, times.percentile(50));
        assertEquals(198, times.percentile(99));
        assertEquals(200, times.percentile(100));
    }

    @Test
    void percentile_isOfTheCallsSoFar() {
        CallTimes times = new CallTimes(10);
        times.add(9);
        assertEquals(9, times.percentile(50));
        assertEquals(9, times.percentile(99));
    }

    @Test
    void percentile_isRefused_withoutCalls() {
        assertThrows(IllegalStateException.class, () -> new CallTimes(1).percentile(50));
    }
}
