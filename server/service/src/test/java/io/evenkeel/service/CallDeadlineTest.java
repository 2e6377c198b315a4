package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CallDeadlineTest {
    /** A stopped clock. */
    private static final Deadline.Ticker STANDING = new Deadline.Ticker() {
        @Override
        public long nanoTime() {
            return 1;
        }
    };

    @ParameterizedTest
    @CsvSource({"0, 0", "4, 2", "10, 5", "20, 15", "100, 90", "1000, 900", "2000, 1800", "10000, 9800"})
    void wait_endsBeforeTheDeadline_soThatTheCallerHearsWhatWasReached(long left, long waits) throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try {
            Deadline deadline = Deadline.after(left, TimeUnit.MILLISECONDS, STANDING);
            try (Context.CancellableContext call = Context.current().withDeadline(deadline, timer)) {
                assertEquals(Duration.ofMillis(waits), call.call(CallDeadline::patience));
            }
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void callWithoutADeadline_waitsAsLongAsTheServerLets() {
        assertTrue(CallDeadline.patience().compareTo(Duration.ofDays(1)) > 0);
    }
}
