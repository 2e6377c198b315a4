package io.evenkeel.client;

import io.evenkeel.v1.Revision;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The newest revision seen, to be demanded of later answers. Counters are compared within an instance; a revision of
 * another instance replaces what was known, since it came later. Thread-safe; it may be shared by clients of one
 * server, so that one sees what another wrote.
 */
public final class Revisions {
    private final AtomicReference<@Nullable Revision> newest = new AtomicReference<>();

    /** Notes a revision that an answer named. */
    public void saw(Revision revision) {
        newest.accumulateAndGet(revision, Revisions::newer);
    }

    /** The newest seen, if any was. */
    public Optional<Revision> newest() {
        return Optional.ofNullable(newest.get());
    }

    /** Forgets what was seen, so that nothing is demanded: after a server was started anew. */
    public void clear() {
        newest.set(null);
    }

    private static @Nullable Revision newer(@Nullable Revision known, @Nullable Revision seen) {
        if (known == null || seen == null || !known.getInstance().equals(seen.getInstance())) {
            return seen;
        }
        return Long.compareUnsigned(seen.getCounter(), known.getCounter()) > 0 ? seen : known;
    }
}
