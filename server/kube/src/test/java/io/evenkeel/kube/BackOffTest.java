package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BackOffTest {
    private static final Duration FIRST = Duration.ofSeconds(2);

    private static List<Long> waits(BackOff backOff, int count) {
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            millis.add(backOff.next().toMillis());
        }
        return millis;
    }

    /** Without jitter, all clients that lose a server at the same time would also reconnect at the same time. */
    @ParameterizedTest
    @CsvSource({"0, 1000, 2000, 2500", "0.5, 1500, 3000, 3750", "0.999, 1999, 3998, 4997"})
    void waits_goFromHalfOfWhatTheyMayBe_toAllOfIt_byTheDice(double dice, long first, long second, long longest) {
        BackOff backOff = new BackOff(FIRST, Duration.ofSeconds(5), () -> dice);
        assertEquals(List.of(first, second, longest, longest), waits(backOff, 4));
    }

    @Test
    void waits_beginAgain_afterSuccess() {
        BackOff backOff = new BackOff(FIRST, Duration.ofSeconds(5), () -> 0);
        assertEquals(List.of(1_000L, 2_000L), waits(backOff, 2));
        backOff.reset();
        assertEquals(List.of(1_000L, 2_000L), waits(backOff, 2));
    }

    @Test
    void dice_areCastForEachWait() {
        List<Double> dice = new ArrayList<>(List.of(0.5, 0.0, 0.25));
        BackOff backOff = new BackOff(FIRST, FIRST, () -> dice.remove(0));
        assertEquals(List.of(1_500L, 1_000L, 1_250L), waits(backOff, 3));
    }
}
