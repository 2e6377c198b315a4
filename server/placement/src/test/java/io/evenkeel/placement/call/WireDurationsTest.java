package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WireDurationsTest {
    private static Duration duration(long seconds, int nanos) {
        return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
    }

    @ParameterizedTest
    @CsvSource({"-1, 0", "0, -1", "1, -1", "-1, 1", "0, 1000000000", "315576000001, 0", "9223372036854775807, 0"})
    void durationThatIsNone_isRefused_withWhatItMayBe(long seconds, int nanos) {
        RequestException refused = assertThrows(
                RequestException.class, () -> WireDurations.requireValid(duration(seconds, nanos), "timeout"));
        assertEquals(
                "timeout must be a duration from 0 to 315576000000 s, was " + seconds + " s and " + nanos + " ns",
                refused.getMessage());
    }

    @Test
    void longestDuration_isTaken_asTheLongestThatTheServerKnows() {
        Duration longest = duration(315_576_000_000L, 0);
        assertDoesNotThrow(() -> WireDurations.requireValid(longest, "timeout"));
        assertEquals(Limits.LONGEST, WireDurations.of(longest));
        assertEquals(java.time.Duration.ofNanos(1), WireDurations.of(duration(0, 1)));
    }
}
