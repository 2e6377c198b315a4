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
 * What Kubernetes has said of tokens, kept for a short time. A token stands here by its hash.
 *
 * <pre>
 *   known      hash ─► whose the token is, and when that was said; the least recently used go where there are too many
 *   refused    hash ─► the same of tokens that are nobody's, or could not be asked about; apart, so that those who try
 *                      tokens push none of the known ones out
 *   underWay   hash ─► a question whose answer several calls may wait for
 * </pre>
 *
 * <p>Safe for use by several threads.
 */
final class ReviewedTokens {
    /** As long as the API server itself relies on what a webhook has said. */
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The age from which it is asked again while the last answer is used, so that no call in a row of calls waits. */
    private static final long RENEWED_AFTER_NANOS = KEPT_NANOS / 2;

    /** A token may become valid a little later, as with a clock that is behind. */
    private static final long REFUSALS_KEPT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int MOST = 10_000;

    private final TokenReviewer reviewer;
    private final LongSupplier clock;

    private final Map<ByteBuffer, Kept> known = new Newest();
    private final Map<ByteBuffer, Kept> refused = new Newest();
    private final Map<ByteBuffer, CompletableFuture<Said>> underWay = new HashMap<>();

    /** The answers that were used last. */
    @SuppressWarnings("serial") // Nobody serializes it.
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

        /** Whether it is asked again before this is old, or was. That is done once. */
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
     * What was said of a token, and when.
     *
     * @param problem why it could not be asked; null where it could
     * @param caller how the owner is known; empty where the token is nobody's
     */
    record Said(@Nullable String problem, List<Subject> caller, long atNanos) {
        boolean isNobodys() {
            return problem == null && caller.isEmpty();
        }

        boolean isKnown() {
            return problem == null && !caller.isEmpty();
        }
    }

    /** What was said of a token a short time ago; null where it must be asked. */
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
     * Whether the caller should {@link #renew} an answer that it uses. Says so once for each answer, unless it
     * {@linkplain #isNotRenewed could not be}.
     */
    synchronized boolean mustRenew(byte[] hash) {
        Kept kept = known.get(ByteBuffer.wrap(hash));
        if (kept == null || kept.renewed || !isOfAgeToBeRenewed(kept.said)) {
            return false;
        }
        kept.renewed = true;
        return true;
    }

    /** Whether there still is an answer of an age at which it is renewed. */
    synchronized boolean isToBeRenewed(byte[] hash) {
        Kept kept = known.get(ByteBuffer.wrap(hash));
        return kept != null && isOfAgeToBeRenewed(kept.said);
    }

    private boolean isOfAgeToBeRenewed(Said said) {
        long age = ageNanos(said);
        return age >= RENEWED_AFTER_NANOS && age < KEPT_NANOS;
    }

    /** The answer was not renewed, although it had to be: the next use says so again. */
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

    /** Asks, unless that is under way already, and waits for the answer. */
    Said ask(byte[] hash, String token) throws InterruptedException {
        return ask(hash, token, false);
    }

    /** As {@link #ask}, but where it cannot be asked now, the last answer stands for its time. */
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
        Said said = new Said("it was broken off", List.of(), clock.getAsLong());
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
