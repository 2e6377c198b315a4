package io.evenkeel.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class ReviewedTokensTest {
    private static final byte[] HASH = TokenList.hash("a");

    private final List<String> asked = new ArrayList<>();
    private long now = 7;

    private ReviewedTokens tokens(TokenReviewer reviewer) {
        return new ReviewedTokens(
                token -> {
                    asked.add(token);
                    return reviewer.review(token);
                },
                () -> now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void answer_isKeptForTenSeconds() throws Exception {
        ReviewedTokens tokens = tokens(token -> new TokenReviewer.Reviewed("u", List.of("g", "h")));
        assertNull(tokens.recall(HASH));
        ReviewedTokens.Said said = tokens.ask(HASH, "a");
        assertEquals(
                List.of(
                        new Subject(Subject.Kind.USER, "u"),
                        new Subject(Subject.Kind.GROUP, "g"),
                        new Subject(Subject.Kind.GROUP, "h")),
                said.caller());
        pass(Duration.ofSeconds(9));
        assertEquals(said, tokens.recall(TokenList.hash("a")));
        assertNull(tokens.recall(TokenList.hash("b")));
        pass(Duration.ofSeconds(1));
        assertNull(tokens.recall(HASH));
        assertEquals(List.of("a"), asked);
    }

    @Test
    void refusal_andFailure_areKeptForTwoSeconds() throws Exception {
        ReviewedTokens tokens = tokens(token -> {
            if (token.equals("a")) {
                return new TokenReviewer.Reviewed(null, List.of("g"));
            }
            throw new IOException("no route");
        });
        assertTrue(tokens.ask(HASH, "a").isNobodys());
        ReviewedTokens.Said failed = tokens.ask(TokenList.hash("b"), "b");
        assertFalse(failed.isNobodys());
        assertEquals("no route", failed.problem());
        pass(Duration.ofMillis(1_999));
        assertNotNull(tokens.recall(HASH));
        assertNotNull(tokens.recall(TokenList.hash("b")));
        pass(Duration.ofMillis(1));
        assertNull(tokens.recall(HASH));
        assertNull(tokens.recall(TokenList.hash("b")));
    }

    @Test
    void callsThatComeMeanwhile_waitForOneAnswer() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        ReviewedTokens tokens = tokens(token -> {
            begun.countDown();
            answer.await();
            return new TokenReviewer.Reviewed("u", List.of());
        });
        List<Thread> callers = new ArrayList<>();
        List<ReviewedTokens.Said> told = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 4; i++) {
            Thread caller = new Thread(() -> {
                try {
                    told.add(tokens.ask(HASH, "a"));
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
    void tokens_areForgotten_whereThereAreTooMany() throws Exception {
        ReviewedTokens tokens = tokens(token -> new TokenReviewer.Reviewed(token, List.of()));
        for (int i = 0; i <= 10_000; i++) {
            assertNull(tokens.ask(TokenList.hash("t" + i), "t" + i).problem());
        }
        assertNull(tokens.recall(TokenList.hash("t0")));
        assertEquals(
                "t10000",
                Objects.requireNonNull(tokens.recall(TokenList.hash("t10000")))
                        .caller()
                        .get(0)
                        .name());
    }

    @Test
    void tokensThatAreNobodys_pushNoKnownOneOut() throws Exception {
        ReviewedTokens tokens = tokens(token -> new TokenReviewer.Reviewed(token.equals("a") ? "u" : null, List.of()));
        ReviewedTokens.Said said = tokens.ask(HASH, "a");
        for (int i = 0; i < 20_000; i++) {
            assertTrue(tokens.ask(TokenList.hash("t" + i), "t" + i).isNobodys());
        }
        assertEquals(said, tokens.recall(HASH));
        assertNull(tokens.recall(TokenList.hash("t0")));
    }

    @Test
    void answerThatIsUsed_isRenewedOnce_beforeItIsOld() throws Exception {
        List<String> users = new ArrayList<>(List.of("u", "v"));
        ReviewedTokens tokens = tokens(token -> {
            if (users.isEmpty()) {
                throw new IOException("no route");
            }
            return new TokenReviewer.Reviewed(users.remove(0), List.of());
        });
        tokens.ask(HASH, "a");
        pass(Duration.ofMillis(4_999));
        assertFalse(tokens.mustRenew(HASH));
        pass(Duration.ofMillis(1));
        assertTrue(tokens.mustRenew(HASH));
        assertFalse(tokens.mustRenew(HASH));
        ReviewedTokens.Said second = tokens.renew(HASH, "a");
        pass(Duration.ofSeconds(9));
        assertEquals(second, tokens.recall(HASH));
        assertTrue(tokens.mustRenew(HASH));
        assertEquals("no route", tokens.renew(HASH, "a").problem());
        assertEquals(second, tokens.recall(HASH), "the last answer stands");
        pass(Duration.ofSeconds(1));
        assertNull(tokens.recall(HASH));
        assertEquals(List.of("a", "a", "a"), asked);
    }

    @Test
    void answerThatWasNotRenewed_isToBeRenewedAgain_whileItIsOfThatAge() throws Exception {
        ReviewedTokens tokens = tokens(token -> new TokenReviewer.Reviewed("u", List.of()));
        tokens.ask(HASH, "a");
        pass(Duration.ofMillis(4_999));
        assertFalse(tokens.isToBeRenewed(HASH));
        pass(Duration.ofMillis(1));
        assertTrue(tokens.mustRenew(HASH));
        assertFalse(tokens.mustRenew(HASH));
        tokens.isNotRenewed(HASH);
        assertTrue(tokens.mustRenew(HASH));
        assertTrue(tokens.isToBeRenewed(HASH));
        // A call asks before the renewal runs.
        tokens.ask(HASH, "a");
        assertFalse(tokens.isToBeRenewed(HASH));
        pass(Duration.ofSeconds(10));
        assertFalse(tokens.isToBeRenewed(HASH), "a call that comes now asks itself");
        assertFalse(tokens.mustRenew(HASH));
        tokens.isNotRenewed(TokenList.hash("b"));
        assertFalse(tokens.isToBeRenewed(TokenList.hash("b")));
    }

    @Test
    void knownToken_isRefused_fromWhenItIsNobodys() throws Exception {
        List<TokenReviewer.Reviewed> answers = new ArrayList<>(List.of(
                new TokenReviewer.Reviewed("u", List.of()),
                new TokenReviewer.Reviewed(null, List.of()),
                new TokenReviewer.Reviewed("u", List.of())));
        ReviewedTokens tokens = tokens(token -> answers.remove(0));
        tokens.ask(HASH, "a");
        assertTrue(tokens.renew(HASH, "a").isNobodys());
        assertTrue(Objects.requireNonNull(tokens.recall(HASH)).isNobodys());
        assertTrue(tokens.ask(HASH, "a").isKnown());
        assertTrue(Objects.requireNonNull(tokens.recall(HASH)).isKnown());
    }
}
