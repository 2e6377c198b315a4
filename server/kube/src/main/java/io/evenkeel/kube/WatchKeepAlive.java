package io.evenkeel.kube;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tracks when a kind's watch last delivered something, and decides when to ask the API server for its current version.
 * Most API servers send a bookmark about once a minute, so a watch that has received one may be silent for longer.
 *
 * <p>Any thread may report that the watch opened or spoke. Only one thread at a time may call {@link #isDue}.
 */
final class WatchKeepAlive {
    /** How much longer a watch with bookmarks may be silent. Bookmarks arrive about once a minute. */
    private static final int LONGER_WITH_BOOKMARKS = 4;

    private final long patience;
    private final LongSupplier clock;

    /** Set when the watch opens or delivers something. The thread that calls {@link #isDue} reads and clears it. */
    private volatile boolean spoke;

    /** Whether the watch has received a bookmark, so that more can be expected. */
    private volatile boolean bookmarked;

    /** When {@link #isDue} last saw {@link #spoke} set, or returned true. Accessed only by its thread. */
    private long quietSince;

    /**
     * @param patience how long a watch without bookmarks may be silent
     * @param clock nanoseconds from any origin
     */
    WatchKeepAlive(Duration patience, LongSupplier clock) {
        this.patience = patience.toNanos();
        this.clock = clock;
        quietSince = clock.getAsLong();
    }

    /** A watch opens. */
    void opened() {
        bookmarked = false;
        spoke = true;
    }

    /** The watch delivered something, and it was applied. */
    void spoke() {
        spoke = true;
    }

    /** The watch delivered a bookmark. */
    void bookmarked() {
        bookmarked = true;
    }

    /**
     * Whether the API server must be asked now. If so, it is due again when the watch has been silent for the same time
     * once again.
     *
     * @param watching whether a watch is open
     */
    boolean isDue(boolean watching) {
        long now = clock.getAsLong();
        if (spoke) {
            spoke = false;
            quietSince = now;
        }
        if (!watching || now - quietSince < patience * (bookmarked ? LONGER_WITH_BOOKMARKS : 1)) {
            return false;
        }
        quietSince = now;
        return true;
    }
}
