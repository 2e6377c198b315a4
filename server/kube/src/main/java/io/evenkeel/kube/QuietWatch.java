package io.evenkeel.kube;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Keeps when the watch of a kind last said something, and says when the API server is to be asked how far it is. Most
 * API servers send a bookmark about once a minute, so a watch that has had one may say nothing for longer.
 *
 * <p>Any thread may say that the watch opened or spoke. One thread at a time may call {@link #isDue}.
 */
final class QuietWatch {
    /** How much longer a watch with bookmarks may say nothing: these come about once a minute. */
    private static final int LONGER_WITH_BOOKMARKS = 4;

    private final long patience;
    private final LongSupplier clock;

    /** Set when the watch opens or brings bytes. The thread that looks for quiet watches reads and clears it. */
    private volatile boolean spoke;

    /** Whether the watch has had a bookmark, so that others can be expected. */
    private volatile boolean bookmarked;

    /** Since when the looking thread has neither seen it set nor had the server asked. Of that thread alone. */
    private long quietSince;

    /**
     * @param patience how long a watch without bookmarks may say nothing
     * @param clock nanoseconds from any origin
     */
    QuietWatch(Duration patience, LongSupplier clock) {
        this.patience = patience.toNanos();
        this.clock = clock;
        quietSince = clock.getAsLong();
    }

    /** A watch opens. */
    void opened() {
        bookmarked = false;
        spoke = true;
    }

    /** The watch has brought something, which is applied. */
    void spoke() {
        spoke = true;
    }

    /** The watch has brought a bookmark. */
    void bookmarked() {
        bookmarked = true;
    }

    /**
     * Whether the API server must be asked now. Where it must, it is next due when the watch has said nothing for as
     * long again.
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
