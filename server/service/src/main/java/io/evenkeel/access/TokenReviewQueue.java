package io.evenkeel.access;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks Kubernetes about tokens: at once for calls that wait for the answer, and later for those that are open or use an
 * answer that will soon be old. Safe for use by several threads.
 */
final class TokenReviewQueue implements AutoCloseable {
    /** How old an answer about the token of an open call may be. */
    private static final long ASKED_AGAIN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** As many as there are answers that are kept. */
    private static final int MAX_REVIEWED_AGAIN = 10_000;

    /** Few, because an answer is too old to be renewed when its turn comes late. */
    private static final int MAX_RENEWALS = 100;

    /** Threads that wait for the API server. */
    private static final int QUESTIONS_AT_A_TIME = 4;

    private final ReviewedTokens reviews;
    private final Consumer<String> log;

    /** Questions about the tokens of open calls. They are not held up by renewals, however many those are. */
    private final BackgroundReviews askedAgain =
            new BackgroundReviews("evenkeel-tokens", QUESTIONS_AT_A_TIME, MAX_REVIEWED_AGAIN);

    /** Questions about tokens while their last answers are used. */
    private final BackgroundReviews renewals =
            new BackgroundReviews("evenkeel-renewals", QUESTIONS_AT_A_TIME, MAX_RENEWALS);

    /** Why the API server could not be asked about a token last; null where it could. */
    private final AtomicReference<@Nullable String> lastProblem = new AtomicReference<>();

    /**
     * @param nanos a clock with any origin
     * @param log takes a line where the API server cannot be asked, in any thread
     */
    TokenReviewQueue(TokenReviewer reviewer, LongSupplier nanos, Consumer<String> log) {
        reviews = new ReviewedTokens(reviewer, nanos);
        this.log = log;
    }

    /**
     * A token about which Kubernetes may be asked.
     *
     * @param hash the hash of {@code secret}
     */
    Token about(byte[] hash, String secret) {
        return new Token(hash, secret);
    }

    /** Callers are not told why; whoever runs the server is, once. */
    private void tellProblem(@Nullable String problem) {
        String before = lastProblem.getAndSet(problem);
        if (problem != null && !problem.equals(before)) {
            log.accept("--kube-tokens: the API server cannot be asked about tokens: " + problem);
        }
    }

    /** A token that a call has shown. Safe for use by several threads. */
    final class Token {
        private final byte[] hash;
        private final String secret;

        private Token(byte[] hash, String secret) {
            this.hash = hash;
            this.secret = secret;
        }

        /** What was said of it a short time ago; null where it must be asked. */
        ReviewedTokens.@Nullable Said recall() {
            return reviews.recall(hash);
        }

        /** Asks, and waits for the answer. */
        ReviewedTokens.Said ask() throws InterruptedException {
            ReviewedTokens.Said said = reviews.ask(hash, secret);
            tellProblem(said.problem());
            return said;
        }

        /** Asks again for an open call, where the last answer is old. Where too many wait, at a later look. */
        void askAgainLater(ReviewedTokens.Said last) {
            if (reviews.ageNanos(last) > ASKED_AGAIN_AFTER_NANOS) {
                boolean unused = askedAgain.add(hash, () -> {
                    if (recall() == null) {
                        tellProblem(reviews.ask(hash, secret).problem());
                    }
                });
            }
        }

        /** Asks again where the answer is used and will soon be old. Where too many wait, at a later use. */
        void renewSoon() {
            if (!reviews.mustRenew(hash)) {
                return;
            }
            boolean added = renewals.add(hash, () -> {
                // A call may have asked meanwhile.
                if (reviews.isToBeRenewed(hash)) {
                    tellProblem(reviews.renew(hash, secret).problem());
                }
            });
            if (!added) {
                reviews.isNotRenewed(hash);
            }
        }
    }

    /** Drops the questions that still wait. */
    @Override
    public void close() {
        askedAgain.close();
        renewals.close();
    }
}
