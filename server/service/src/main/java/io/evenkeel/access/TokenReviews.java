package io.evenkeel.access;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has Kubernetes review tokens, and caches the results by the hash of the token.
 *
 * <pre>
 *   accepted     hash ─► the token's owner, for 10 s
 *   refused      hash ─► a rejection or a failure, for 2 s; kept apart, so that guessed tokens evict no accepted ones
 *   inProgress   hash ─► a review; calls with the same token wait for its result
 *   queued       tokens of open calls that four threads review again, each queued at most once
 * </pre>
 *
 * A call whose token has no cached review waits for one in its own thread; the server bounds the number of these
 * threads. Thread-safe.
 */
final class TokenReviews implements AutoCloseable {
    /** As long as the API server itself caches webhook results. */
    private static final long ACCEPTED_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Short, because a token may become valid soon, for instance if a clock is behind. */
    private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How old the review of an open call's token may be. */
    private static final long OPEN_CALL_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int MAX_CACHED = 10_000;
    private static final int MAX_QUEUED = 10_000;
    private static final int THREADS = 4;

    private final TokenReviewer reviewer;
    private final LongSupplier clock;
    private final Consumer<String> log;

    private final Map<ByteBuffer, Review> accepted = new Newest();
    private final Map<ByteBuffer, Review> refused = new Newest();
    private final Map<ByteBuffer, CompletableFuture<Review>> inProgress = new HashMap<>();
    private final Set<ByteBuffer> queued = new HashSet<>();

    private final ThreadPoolExecutor openCalls = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(MAX_QUEUED),
            new ThreadFactoryBuilder()
                    .setNameFormat("evenkeel-tokens")
                    .setDaemon(true)
                    .build());

    /** Why the last review failed; null if it succeeded. */
    private @Nullable String lastProblem;

    /** The most recently used reviews. */
    @SuppressWarnings("serial") // It is never serialized.
    private static final class Newest extends LinkedHashMap<ByteBuffer, Review> {
        Newest() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Review> eldest) {
            return size() > MAX_CACHED;
        }
    }

    /**
     * The result of a token review.
     *
     * @param problem why the review failed; null if it succeeded
     * @param caller the owner's subjects; empty if the token is not valid
     */
    record Review(@Nullable String problem, List<Subject> caller, long atNanos) {
        boolean isRejected() {
            return problem == null && caller.isEmpty();
        }

        boolean isAccepted() {
            return problem == null && !caller.isEmpty();
        }
    }

    /**
     * @param clock nanoseconds with an arbitrary origin
     * @param log receives a line, in any thread, if the API server cannot be asked
     */
    TokenReviews(TokenReviewer reviewer, LongSupplier clock, Consumer<String> log) {
        this.reviewer = reviewer;
        this.clock = clock;
        this.log = log;
    }

    /**
     * A token that Kubernetes may review.
     *
     * @param hash the hash of {@code secret}
     */
    Token token(byte[] hash, String secret) {
        return new Token(ByteBuffer.wrap(hash), secret);
    }

    /** The bearer token of a call. Thread-safe. */
    final class Token {
        private final ByteBuffer hash;
        private final String secret;

        private Token(ByteBuffer hash, String secret) {
            this.hash = hash;
            this.secret = secret;
        }

        /** The cached review; null if there is none or it is too old. */
        @Nullable
        Review cached() {
            synchronized (TokenReviews.this) {
                Review review = accepted.get(hash);
                if (review == null) {
                    review = refused.get(hash);
                }
                return review != null && age(review) < (review.isAccepted() ? ACCEPTED_NANOS : REFUSED_NANOS)
                        ? review
                        : null;
            }
        }

        /** Has the token reviewed, or joins a review in progress, and waits for the result. */
        Review review() throws InterruptedException {
            CompletableFuture<Review> own = new CompletableFuture<>();
            CompletableFuture<Review> first;
            synchronized (TokenReviews.this) {
                first = inProgress.putIfAbsent(hash, own);
            }
            if (first != null) {
                try {
                    return first.get();
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            }
            Review review = new Review("the review was aborted", List.of(), clock.getAsLong());
            try {
                review = ask(secret);
                report(review.problem());
                return review;
            } finally {
                synchronized (TokenReviews.this) {
                    (review.isAccepted() ? refused : accepted).remove(hash);
                    (review.isAccepted() ? accepted : refused).put(hash, review);
                    inProgress.remove(hash);
                }
                own.complete(review);
            }
        }

        /**
         * Queues another review for an open call if the last one is old. If the queue is full, a later check tries
         * again.
         */
        void reviewAgainLater(Review last) {
            if (age(last) <= OPEN_CALL_NANOS) {
                return;
            }
            synchronized (TokenReviews.this) {
                if (!queued.add(hash)) {
                    return;
                }
            }
            try {
                openCalls.execute(this::reviewAgain);
            } catch (RejectedExecutionException full) {
                leaveQueue();
            }
        }

        private void reviewAgain() {
            try {
                // A call may have had it reviewed meanwhile.
                if (cached() == null) {
                    Review unused = review();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                leaveQueue();
            }
        }

        private void leaveQueue() {
            synchronized (TokenReviews.this) {
                queued.remove(hash);
            }
        }
    }

    private long age(Review review) {
        return clock.getAsLong() - review.atNanos();
    }

    private Review ask(String secret) throws InterruptedException {
        try {
            TokenReviewer.Reviewed reviewed = reviewer.review(secret);
            List<Subject> caller = new ArrayList<>();
            if (reviewed.user() != null) {
                caller.add(new Subject(Subject.Kind.USER, reviewed.user()));
                reviewed.groups().forEach(group -> caller.add(new Subject(Subject.Kind.GROUP, group)));
            }
            return new Review(null, List.copyOf(caller), clock.getAsLong());
        } catch (IOException | RuntimeException e) {
            return new Review(String.valueOf(e.getMessage()), List.of(), clock.getAsLong());
        }
    }

    /** Logs each problem once, for the operator. Callers do not learn the reason. */
    private void report(@Nullable String problem) {
        boolean isNew;
        synchronized (this) {
            isNew = problem != null && !problem.equals(lastProblem);
            lastProblem = problem;
        }
        if (isNew) {
            log.accept("--kube-tokens: token review failed: " + problem);
        }
    }

    /** Drops all queued reviews. */
    @Override
    public void close() {
        openCalls.shutdownNow();
    }
}
