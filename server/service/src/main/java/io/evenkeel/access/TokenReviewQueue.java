package io.evenkeel.access;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has Kubernetes review tokens: immediately for calls that are waiting, and in the background for open calls and for
 * cached reviews that will soon be too old. Thread-safe.
 */
final class TokenReviewQueue implements AutoCloseable {
    /** How old the review of an open call's token may be. */
    private static final long ASKED_AGAIN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** As many as there are cached reviews. */
    private static final int MAX_REVIEWED_AGAIN = 10_000;

    /** Few, because a renewal that waits long in the queue comes too late. */
    private static final int MAX_RENEWALS = 100;

    /** Threads waiting for the API server. */
    private static final int QUESTIONS_AT_A_TIME = 4;

    private final ReviewedTokens reviews;
    private final Consumer<String> log;

    /** Reviews for open calls. Separate, so that renewals do not delay them. */
    private final BackgroundReviews askedAgain =
            new BackgroundReviews("evenkeel-tokens", QUESTIONS_AT_A_TIME, MAX_REVIEWED_AGAIN);

    /** Renewals of cached reviews. */
    private final BackgroundReviews renewals =
            new BackgroundReviews("evenkeel-renewals", QUESTIONS_AT_A_TIME, MAX_RENEWALS);

    /** Why the last review failed; null if it succeeded. */
    private final AtomicReference<@Nullable String> lastProblem = new AtomicReference<>();

    /**
     * @param nanos a clock with an arbitrary origin
     * @param log receives a line, in any thread, if the API server cannot be asked
     */
    TokenReviewQueue(TokenReviewer reviewer, LongSupplier nanos, Consumer<String> log) {
        reviews = new ReviewedTokens(reviewer, nanos);
        this.log = log;
    }

    /**
     * A token that Kubernetes may review.
     *
     * @param hash the hash of {@code secret}
     */
    Token about(byte[] hash, String secret) {
        return new Token(hash, secret);
    }

    /** Logs each problem once, for the operator. Callers do not learn the reason. */
    private void tellProblem(@Nullable String problem) {
        String before = lastProblem.getAndSet(problem);
        if (problem != null && !problem.equals(before)) {
            log.accept("--kube-tokens: token review failed: " + problem);
        }
    }

    /** The bearer token of a call. Thread-safe. */
    final class Token {
        private final byte[] hash;
        private final String secret;

        private Token(byte[] hash, String secret) {
            this.hash = hash;
            this.secret = secret;
        }

        /** The cached review; null if there is none or it is too old. */
        ReviewedTokens.@Nullable Said recall() {
            return reviews.recall(hash);
        }

        /** Reviews the token and waits for the result. */
        ReviewedTokens.Said ask() throws InterruptedException {
            ReviewedTokens.Said said = reviews.ask(hash, secret);
            tellProblem(said.problem());
            return said;
        }

        /**
         * Queues another review for an open call if the last one is old. If the queue is full, a later check tries
         * again.
         */
        void askAgainLater(ReviewedTokens.Said last) {
            if (reviews.ageNanos(last) > ASKED_AGAIN_AFTER_NANOS) {
                boolean unused = askedAgain.add(hash, () -> {
                    if (recall() == null) {
                        tellProblem(reviews.ask(hash, secret).problem());
                    }
                });
            }
        }

        /**
         * Queues a renewal if the cached review will soon be too old. If the queue is full, a later use tries again.
         */
        void renewSoon() {
            if (!reviews.mustRenew(hash)) {
                return;
            }
            boolean added = renewals.add(hash, () -> {
                // A call may have reviewed it meanwhile.
                if (reviews.isToBeRenewed(hash)) {
                    tellProblem(reviews.renew(hash, secret).problem());
                }
            });
            if (!added) {
                reviews.isNotRenewed(hash);
            }
        }
    }

    /** Drops all queued reviews. */
    @Override
    public void close() {
        askedAgain.close();
        renewals.close();
    }
}
