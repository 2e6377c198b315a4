package io.evenkeel.loadtest.scheduler;

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
        bind(10, 20, 20);
        bind(20, 23, 40);
        bind(23, 30, 100);
        Outage outage = Outage.of(10, 20, boundAt);
        assertEquals(100, outage.podsPerSecondBefore(), 1);
        assertEquals(20, outage.podsPerSecondAway(), 1);
        assertEquals(2.9, Objects.requireNonNull(outage.secondsToFullRate()), 0.2);
    }

    @Test
    void rateWhileAway_endsWithTheLastPod() {
        bind(0, 10, 100);
        bind(10, 12, 20);
        assertEquals(20, Outage.of(10, 20, boundAt).podsPerSecondAway(), 1);
        assertEquals(0, Outage.of(12, 20, boundAt).podsPerSecondAway());
    }

    @Test
    void fullRate_isNeverReached_whereTheRateStaysLow() {
        bind(0, 10, 100);
        bind(10, 30, 20);
        assertNull(Outage.of(10, 20, boundAt).secondsToFullRate());
    }

    @Test
    void rate_isThatOfAllBindings() {
        bind(0, 10, 5);
        bind(10, 10.5, 100);
        assertEquals(100 / 10.5, TurnResult.rate(boundAt), 0.1);
        assertEquals(0, TurnResult.rate(List.of(0.0)));
    }
}
