package io.evenkeel.access;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches token reviews for a short time, by the hash of the token.
 *
 * <pre>
 *   known      hash ─► the token's owner and the time of the review; the least recently used are evicted
 *   refused    hash ─► tokens that were rejected or could not be reviewed; kept apart, so that guessed tokens do not
 *                      evict known ones
 *   underWay   hash ─► a review in progress, for which several calls may wait
 * </pre>
 *
 * <p>Thread-safe.
 */
final class ReviewedTokens {
    /** As long as the API server itself caches webhook results. */
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The age at which a review is renewed while it is still used, so that no call has to wait. */
    private static final long RENEWED_AFTER_NANOS = KEPT_NANOS / 2;

    /** Short, because a token may become valid soon, for instance if a clock is behind. */
    private static final long REFUSALS_KEPT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int MOST = 10_000;

    private final TokenReviewer reviewer;
    private final LongSupplier clock;

    private final Map<ByteBuffer, Kept> known = new Newest();
    private final Map<ByteBuffer, Kept> refused = new Newest();
    private final Map<ByteBuffer, CompletableFuture<Said>> underWay = new HashMap<>();

    /** The most recently used reviews. */
    @SuppressWarnings("serial") // It is never serialized.
    private static final class Newest extends LinkedHashMap<ByteBuffer, Kept> {
        Newest() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Kept> eldest) {
            return size() > MOST;
        }
    }

    private static final class Kept {
        private final Said said;

        /** Whether a renewal was started. Each review is renewed once. */
        private boolean renewed;

        Kept(Said said) {
            this.said = said;
        }
    }

    /** @param clock nanoseconds from any origin */
    ReviewedTokens(TokenReviewer reviewer, LongSupplier clock) {
        this.reviewer = reviewer;
        this.clock = clock;
    }

    /**
     * The result of a token review.
     *
     * @param problem why the review failed; null if it succeeded
     * @param caller the owner's subjects; empty if the token is not valid
     */
    record Said(@Nullable String problem, List<Subject> caller, long atNanos) {
        boolean isNobodys() {
            return problem == null && caller.isEmpty();
        }

        boolean isKnown() {
            return problem == null && !caller.isEmpty();
        }
    }

    /** The cached review of a token; null if there is none or it is too old. */
    synchronized @Nullable Said recall(byte[] hash) {
        Kept kept = kept(ByteBuffer.wrap(hash));
        if (kept == null) {
            return null;
        }
        return ageNanos(kept.said) < (kept.said.isKnown() ? KEPT_NANOS : REFUSALS_KEPT_NANOS) ? kept.said : null;
    }

    private @Nullable Kept kept(ByteBuffer key) {
        Kept kept = known.get(key);
        return kept == null ? refused.get(key) : kept;
    }

    /**
     * Whether the caller should {@link #renew} the review that it uses. True once for each review, unless the renewal
     * {@linkplain #isNotRenewed failed}.
     */
    synchronized boolean mustRenew(byte[] hash) {
        Kept kept = known.get(ByteBuffer.wrap(hash));
        if (kept == null || kept.renewed || !isOfAgeToBeRenewed(kept.said)) {
            return false;
        }
        kept.renewed = true;
        return true;
    }

    /** Whether there still is a review that is due for renewal. */
    synchronized boolean isToBeRenewed(byte[] hash) {
        Kept kept = known.get(ByteBuffer.wrap(hash));
        return kept != null && isOfAgeToBeRenewed(kept.said);
    }

    private boolean isOfAgeToBeRenewed(Said said) {
        long age = ageNanos(said);
        return age >= RENEWED_AFTER_NANOS && age < KEPT_NANOS;
    }

    /** Reports that a renewal did not take place, so that the next use requests it again. */
    synchronized void isNotRenewed(byte[] hash) {
        Kept kept = known.get(ByteBuffer.wrap(hash));
        if (kept != null) {
            kept.renewed = false;
        }
    }

    private synchronized void keep(ByteBuffer key, Said said) {
        (said.isKnown() ? refused : known).remove(key);
        (said.isKnown() ? known : refused).put(key, new Kept(said));
    }

    long ageNanos(Said said) {
        return clock.getAsLong() - said.atNanos();
    }

    /** Reviews the token, or joins a review in progress, and waits for the result. */
    Said ask(byte[] hash, String token) throws InterruptedException {
        return ask(hash, token, false);
    }

    /** Reviews the token again. If the review fails, the cached one stays valid until it is too old. */
    Said renew(byte[] hash, String token) throws InterruptedException {
        return ask(hash, token, true);
    }

    private Said ask(byte[] hash, String token, boolean isAhead) throws InterruptedException {
        ByteBuffer key = ByteBuffer.wrap(hash);
        CompletableFuture<Said> own = new CompletableFuture<>();
        CompletableFuture<Said> first;
        synchronized (this) {
            first = underWay.putIfAbsent(key, own);
        }
        if (first != null) {
            try {
                return first.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
        Said said = new Said("the review was aborted", List.of(), clock.getAsLong());
        try {
            said = said(token);
            return said;
        } finally {
            synchronized (this) {
                if (!isAhead || said.problem() == null) {
                    keep(key, said);
                }
                underWay.remove(key);
            }
            own.complete(said);
        }
    }

    private Said said(String token) throws InterruptedException {
        try {
            TokenReviewer.Reviewed reviewed = reviewer.review(token);
            List<Subject> caller = new ArrayList<>();
            if (reviewed.user() != null) {
                caller.add(new Subject(Subject.Kind.USER, reviewed.user()));
                reviewed.groups().forEach(group -> caller.add(new Subject(Subject.Kind.GROUP, group)));
            }
            return new Said(null, List.copyOf(caller), clock.getAsLong());
        } catch (IOException | RuntimeException e) {
            return new Said(String.valueOf(e.getMessage()), List.of(), clock.getAsLong());
        }
    }
}
