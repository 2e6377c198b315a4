package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RelistWaitTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** The clock may overflow. */
    private long now = Long.MAX_VALUE - 20 * SECOND;

    private final RelistWait retry = new RelistWait(new FeedTiming(
            Clock.systemUTC(),
            () -> now,
            () -> 0,
            (wait, end) -> {},
            Duration.ofMillis(500),
            Duration.ofSeconds(30),
            Duration.ofHours(1)));

    /** The number of seconds until a state that lacks something is relisted. */
    private long seconds() {
        long began = now;
        while (!retry.isDue(true)) {
            now += SECOND;
        }
        return (now - began) / SECOND;
    }

    @Test
    void stateWithoutRoom_isListedLessAndLessOften_upToABound() {
        List<Long> seconds = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            seconds.add(seconds());
        }
        assertEquals(List.of(15L, 30L, 60L, 120L, 240L, 300L, 300L), seconds);
    }

    @Test
    void stateThatLacksNothing_isNotListed_andEndsTheRow() {
        assertFalse(retry.isDue(true));
        now += 100 * SECOND;
        assertFalse(retry.isDue(false));
        assertEquals(15, seconds());
        assertEquals(30, seconds());
        assertFalse(retry.isDue(false));
        assertEquals(15, seconds());
    }
}
