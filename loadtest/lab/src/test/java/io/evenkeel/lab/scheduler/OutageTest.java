package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class OutageTest {
    private final List<Double> boundAt = new ArrayList<>();

    private void bind(double from, double to, double perSecond) {
        for (double at = from; at < to; at += 1 / perSecond) {
            boundAt.add(at);
        }
    }

    @Test
    void ratesAndTheTimeToFullRate_areThoseOfTheBindings() {
        bind(0, 10, 100);
        bind(10, 15, 30);
        bind(15, 20, 10);
        bind(20, 23, 40);
        bind(23, 30, 100);
        Outage outage = Outage.of(10, 15, 20, boundAt);
        assertEquals(100, outage.podsPerSecondBefore(), 1);
        assertEquals(30, outage.podsPerSecondDead(), 1);
        assertEquals(10, outage.podsPerSecondStarting(), 1);
        assertEquals(20, outage.podsPerSecondAway(), 1);
        // From 22.5 on, a window of three seconds has nine tenths of the rate.
        assertEquals(5.5, Objects.requireNonNull(outage.secondsToFullRate()), 0.2);
    }

    @Test
    void rateWhileAway_endsWithTheLastPod() {
        bind(0, 10, 100);
        bind(10, 12, 20);
        Outage outage = Outage.of(10, 15, 20, boundAt);
        assertEquals(20, outage.podsPerSecondAway(), 1);
        assertEquals(20, outage.podsPerSecondDead(), 1);
        assertEquals(0, outage.podsPerSecondStarting());
        assertEquals(0, Outage.of(12, 15, 20, boundAt).podsPerSecondAway());
    }

    @Test
    void fullRate_isNotReached_ifTheRateStaysLow() {
        bind(0, 10, 100);
        bind(10, 30, 20);
        assertNull(Outage.of(10, 15, 20, boundAt).secondsToFullRate());
    }

    @Test
    void fullRate_isNotReached_bySingleGoodMoments() {
        bind(0, 10, 100);
        for (int second = 20; second < 40; second += 4) {
            bind(second, second + 3, 60);
            bind(second + 3, second + 4, 140);
        }
        assertNull(Outage.of(10, 15, 20, boundAt).secondsToFullRate());
    }

    @Test
    void fullRate_isNotReached_ifItDoesNotLast() {
        bind(0, 10, 100);
        bind(20, 24, 100);
        bind(24, 40, 50);
        assertNull(Outage.of(10, 15, 20, boundAt).secondsToFullRate());
    }

    @Test
    void rate_isThatOfAllBindings() {
        bind(0, 10, 5);
        bind(10, 10.5, 100);
        assertEquals(100 / 10.5, TurnResult.rate(boundAt), 0.1);
        assertEquals(0, TurnResult.rate(List.of(0.0)));
    }
}
