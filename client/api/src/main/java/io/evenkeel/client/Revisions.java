package io.evenkeel.client;

import io.evenkeel.v1.Revision;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the newest revision seen, so that later queries can require it. Counters are compared only within one
 * server instance; a revision of another instance replaces the remembered one, because it arrived later. Thread-safe.
 * Clients of one server can share it to see each other's writes.
 */
public final class Revisions {
    private final AtomicReference<@Nullable Revision> newest = new AtomicReference<>();

    /** Records a revision that was in an answer. */
    public void saw(Revision revision) {
        newest.accumulateAndGet(revision, Revisions::newer);
    }

    /** The newest revision seen, if any. */
    public Optional<Revision> newest() {
        return Optional.ofNullable(newest.get());
    }

    /** Forgets the revision, so that none is required. For use after a server restart. */
    public void clear() {
        newest.set(null);
    }

    private static @Nullable Revision newer(@Nullable Revision known, @Nullable Revision seen) {
        if (known == null || seen == null || !known.getInstance().equals(seen.getInstance())) {
            return seen;
        }
        return seen.getCounter() > known.getCounter() ? seen : known;
    }
}
