package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RoomRetryTest {
    private Instant now = Instant.parse("2026-01-02T03:04:05Z");

    private final Clock clock = new Clock() {
        @Override
        public ZoneId getZone() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Instant instant() {
            return now;
        }
    };

    private final RoomRetry retry = new RoomRetry(new FeedTiming(
            clock, () -> 0, (wait, end) -> {}, Duration.ofMillis(500), Duration.ofSeconds(30), Duration.ofHours(1)));

    /** After how many seconds a state that lacks something is listed anew. */
    private long seconds() {
        Instant began = now;
        while (!retry.isDue(true)) {
            now = now.plusSeconds(1);
        }
        return Duration.between(began, now).toSeconds();
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
        now = now.plusSeconds(100);
        assertFalse(retry.isDue(false));
        assertEquals(15, seconds());
        assertEquals(30, seconds());
        assertFalse(retry.isDue(false));
        assertEquals(15, seconds());
    }
}
