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
 *   known      hash ─► what was said last, and when; the least recently used go where there are too many
 *   underWay   hash ─► a question whose answer several calls may wait for
 * </pre>
 *
 * <p>Safe for use by several threads.
 */
final class ReviewedTokens {
    /** As long as the API server itself relies on what a webhook has said. */
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A token may become valid a little later, as with a clock that is behind. */
    private static final long REFUSALS_KEPT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int MOST = 10_000;

    private final TokenReviewer reviewer;
    private final LongSupplier clock;

    @SuppressWarnings("serial") // Nobody serializes it.
    private final Map<ByteBuffer, Said> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Said> eldest) {
            return size() > MOST;
        }
    };

    private final Map<ByteBuffer, CompletableFuture<Said>> underWay = new HashMap<>();

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
    }

    /** What was said of a token a short time ago; null where it must be asked. */
    synchronized @Nullable Said recall(byte[] hash) {
        Said said = known.get(ByteBuffer.wrap(hash));
        if (said == null) {
            return null;
        }
        long kept = said.problem() == null && !said.isNobodys() ? KEPT_NANOS : REFUSALS_KEPT_NANOS;
        return clock.getAsLong() - said.atNanos() < kept ? said : null;
    }

    long ageNanos(Said said) {
        return clock.getAsLong() - said.atNanos();
    }

    /** Asks, unless that is under way already, and waits for the answer. */
    Said ask(byte[] hash, String token) throws InterruptedException {
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
                known.put(key, said);
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
