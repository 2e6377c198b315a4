package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class WatchKeepAliveTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Near the overflow, because the clock may start anywhere. */
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - PATIENCE.toNanos() / 2);

    private final WatchKeepAlive watch = new WatchKeepAlive(PATIENCE, now::get);

    private boolean isDueAfter(double patiences) {
        now.addAndGet((long) (PATIENCE.toNanos() * patiences));
        return watch.isDue(true);
    }

    @Test
    void server_isAskedOnce_eachTimeTheWatchHasSaidNothingForSoLong() {
        watch.opened();
        assertFalse(isDueAfter(0));
        assertFalse(isDueAfter(0.75));
        assertTrue(isDueAfter(0.25));
        assertFalse(isDueAfter(0.75));
        assertTrue(isDueAfter(0.25));
    }

    @Test
    void watchThatSpeaks_isNotAskedFor() {
        watch.opened();
        for (int i = 0; i < 10; i++) {
            watch.spoke();
            assertFalse(isDueAfter(0.75));
        }
        assertFalse(isDueAfter(0.75));
        assertTrue(isDueAfter(0.25));
    }

    @Test
    void watchWithBookmarks_maySayNothingForLonger_untilTheNextOneOpens() {
        watch.opened();
        watch.bookmarked();
        assertFalse(isDueAfter(1));
        assertFalse(isDueAfter(3.75));
        assertTrue(isDueAfter(0.25));
        watch.opened();
        assertFalse(isDueAfter(1));
        assertTrue(isDueAfter(1));
    }

    @Test
    void noOneIsAsked_whileNoWatchIsOpen() {
        now.addAndGet(3 * PATIENCE.toNanos());
        assertFalse(watch.isDue(false));
        assertTrue(watch.isDue(true));
    }
}
