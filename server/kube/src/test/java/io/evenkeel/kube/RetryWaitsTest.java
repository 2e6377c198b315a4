package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.kube.client.ApiException;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RetryWaitsTest {
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final RetryWaits waits = new RetryWaits(new FeedTiming(
            Clock.systemUTC(),
            System::nanoTime,
            () -> 0,
            (wait, end) -> {},
            Duration.ofMillis(500),
            Duration.ofSeconds(3),
            Duration.ofHours(1)));

    private long after(AttemptOutcome.Progress progress, Duration lasted, @Nullable Exception failure) {
        return waits.after(new AttemptOutcome(true, progress, lasted, failure)).toMillis();
    }

    private List<Long> afterFailures(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> after(AttemptOutcome.Progress.NOTHING, SHORT, new IOException("no connection")))
                .toList();
    }

    private List<Long> afterCuts(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> after(AttemptOutcome.Progress.ADVANCED, SHORT, null))
                .toList();
    }

    @Test
    void failures_areWaitedForLonger_upToABound_untilAWatchLasts() {
        assertEquals(List.of(250L, 500L, 1_000L, 1_500L, 1_500L), afterFailures(5));
        assertEquals(0, after(AttemptOutcome.Progress.WATCHING, LONG, null));
        assertEquals(List.of(250L, 500L), afterFailures(2));
    }

    @Test
    void cutWatches_areWaitedForFromTheSecondOn_andNoLonger_untilOneLasts() {
        assertEquals(List.of(0L, 500L, 500L, 500L), afterCuts(4));
        assertEquals(0, after(AttemptOutcome.Progress.ADVANCED, LONG, null));
        assertEquals(List.of(0L, 500L), afterCuts(2));
    }

    @Test
    void failureAfterAnEvent_isNotCounted() {
        assertEquals(500, after(AttemptOutcome.Progress.ADVANCED, SHORT, new IOException("cut")));
        assertEquals(500, after(AttemptOutcome.Progress.ADVANCED, SHORT, new IOException("cut")));
        assertEquals(List.of(0L, 500L), afterCuts(2));
        assertEquals(List.of(250L, 500L), afterFailures(2));
    }

    @Test
    void wait_isNoShorterThanTheServerAsksFor() {
        assertEquals(
                45_000,
                after(AttemptOutcome.Progress.NOTHING, SHORT, new ApiException(429, "", Duration.ofSeconds(45))));
        assertEquals(
                1_000,
                after(AttemptOutcome.Progress.ADVANCED, SHORT, new ApiException(500, "", Duration.ofSeconds(1))));
        assertEquals(
                500, after(AttemptOutcome.Progress.NOTHING, SHORT, new ApiException(429, "", Duration.ofMillis(1))));
    }

    @Test
    void versionThatIsTooOld_isTheFirstFailureOfAServerThatIsThereAgain() {
        assertEquals(List.of(250L, 500L, 1_000L), afterFailures(3));
        assertEquals(250, after(AttemptOutcome.Progress.NOTHING, SHORT, new ApiException(410, "", Duration.ZERO)));
    }
}
