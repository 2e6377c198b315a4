package io.evenkeel.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class TokenReviewsTest {
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private long now = 7;

    private TokenReviews tokens(TokenReviewer reviewer) {
        return new TokenReviews(
                token -> {
                    asked.add(token);
                    return reviewer.review(token);
                },
                () -> now,
                line -> {});
    }

    /** Has the token reviewed. */
    private static TokenReviews.Review review(TokenReviews tokens, String secret) throws InterruptedException {
        return token(tokens, secret).review();
    }

    private static TokenReviews.@Nullable Review cached(TokenReviews tokens, String secret) {
        return token(tokens, secret).cached();
    }

    private static TokenReviews.Token token(TokenReviews tokens, String secret) {
        return tokens.token(TokenList.hash(secret), secret);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void answer_isKeptForTenSeconds() throws Exception {
        TokenReviews tokens = tokens(token -> new TokenReviewer.Reviewed("u", List.of("g", "h")));
        assertNull(cached(tokens, "a"));
        TokenReviews.Review said = review(tokens, "a");
        assertEquals(
                List.of(
                        new Subject(Subject.Kind.USER, "u"),
                        new Subject(Subject.Kind.GROUP, "g"),
                        new Subject(Subject.Kind.GROUP, "h")),
                said.caller());
        pass(Duration.ofSeconds(9));
        assertEquals(said, cached(tokens, "a"));
        assertNull(cached(tokens, "b"));
        pass(Duration.ofSeconds(1));
        assertNull(cached(tokens, "a"));
        assertEquals(List.of("a"), asked);
    }

    @Test
    void refusal_andFailure_areKeptForTwoSeconds() throws Exception {
        TokenReviews tokens = tokens(token -> {
            if (token.equals("a")) {
                return new TokenReviewer.Reviewed(null, List.of("g"));
            }
            throw new IOException("no route");
        });
        assertTrue(review(tokens, "a").isRejected());
        TokenReviews.Review failed = review(tokens, "b");
        assertFalse(failed.isRejected());
        assertEquals("no route", failed.problem());
        pass(Duration.ofMillis(1_999));
        assertNotNull(cached(tokens, "a"));
        assertNotNull(cached(tokens, "b"));
        pass(Duration.ofMillis(1));
        assertNull(cached(tokens, "a"));
        assertNull(cached(tokens, "b"));
    }

    @Test
    void callsThatComeMeanwhile_waitForOneAnswer() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        TokenReviews tokens = tokens(token -> {
            begun.countDown();
            answer.await();
            return new TokenReviewer.Reviewed("u", List.of());
        });
        List<Thread> callers = new ArrayList<>();
        List<TokenReviews.Review> told = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 4; i++) {
            Thread caller = new Thread(() -> {
                try {
                    told.add(review(tokens, "a"));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            callers.add(caller);
            caller.start();
            begun.await();
        }
        while (callers.stream().anyMatch(caller -> caller.getState() != Thread.State.WAITING)) {
            Thread.onSpinWait();
        }
        answer.countDown();
        for (Thread caller : callers) {
            caller.join();
        }
        assertEquals(List.of("a"), asked);
        assertEquals(4, told.size());
        assertEquals(1, told.stream().distinct().count());
    }

    @Test
    void tokens_areForgotten_ifThereAreTooMany() throws Exception {
        TokenReviews tokens = tokens(token -> new TokenReviewer.Reviewed(token, List.of()));
        for (int i = 0; i <= 10_000; i++) {
            assertNull(review(tokens, "t" + i).problem());
        }
        assertNull(cached(tokens, "t0"));
        assertEquals(
                "t10000",
                Objects.requireNonNull(cached(tokens, "t10000")).caller().get(0).name());
    }

    @Test
    void tokensThatAreNoOnes_pushNoKnownOneOut() throws Exception {
        TokenReviews tokens = tokens(token -> new TokenReviewer.Reviewed(token.equals("a") ? "u" : null, List.of()));
        TokenReviews.Review said = review(tokens, "a");
        for (int i = 0; i < 20_000; i++) {
            assertTrue(review(tokens, "t" + i).isRejected());
        }
        assertEquals(said, cached(tokens, "a"));
        assertNull(cached(tokens, "t0"));
    }

    @Test
    void knownToken_isRefused_fromWhenItIsNoOnes() throws Exception {
        List<TokenReviewer.Reviewed> answers = new ArrayList<>(List.of(
                new TokenReviewer.Reviewed("u", List.of()),
                new TokenReviewer.Reviewed(null, List.of()),
                new TokenReviewer.Reviewed("u", List.of())));
        TokenReviews tokens = tokens(token -> answers.remove(0));
        review(tokens, "a");
        assertTrue(review(tokens, "a").isRejected());
        assertTrue(Objects.requireNonNull(cached(tokens, "a")).isRejected());
        assertTrue(review(tokens, "a").isAccepted());
        assertTrue(Objects.requireNonNull(cached(tokens, "a")).isAccepted());
    }

    @Test
    @Timeout(60)
    void openCall_whoseReviewFindsNoRoom_isReviewedAtALaterCheck() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean isSlow = new AtomicBoolean();
        try (TokenReviews tokens = tokens(token -> {
            if (isSlow.get()) {
                release.await();
            }
            return new TokenReviewer.Reviewed("u", List.of());
        })) {
            TokenReviews.Review old = review(tokens, "old");
            pass(Duration.ofSeconds(31));
            asked.clear();
            isSlow.set(true);
            // Four are in progress, and the rest fill the queue.
            for (int i = 0; i < 10_004; i++) {
                token(tokens, "t" + i).reviewAgainLater(old);
            }
            token(tokens, "last").reviewAgainLater(old);
            release.countDown();
            Await.until(() -> asked.size() >= 10_004);
            assertFalse(asked.contains("last"));
            while (!asked.contains("last")) {
                token(tokens, "last").reviewAgainLater(old);
                Thread.sleep(1);
            }
            assertEquals(10_005, asked.size());
        }
    }
}
