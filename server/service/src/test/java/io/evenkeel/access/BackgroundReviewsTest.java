package io.evenkeel.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class BackgroundReviewsTest {
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch release = new CountDownLatch(1);

    private boolean add(BackgroundReviews questions, String token) {
        return questions.add(TokenList.hash(token), () -> {
            release.await();
            asked.add(token);
        });
    }

    private void awaitAsked(int questions) throws InterruptedException {
        while (asked.size() < questions) {
            Thread.sleep(1);
        }
    }

    @Test
    void questions_areAskedOnceForEachToken_andRefusedWhereTooManyWait() throws Exception {
        try (BackgroundReviews questions = new BackgroundReviews("test", 1, 2)) {
            assertTrue(add(questions, "a"));
            assertTrue(add(questions, "b"));
            assertTrue(add(questions, "c"));
            assertFalse(add(questions, "d"));
            assertFalse(add(questions, "d"));
            assertTrue(add(questions, "a"));
            assertTrue(add(questions, "c"));
            release.countDown();
            awaitAsked(3);
            while (!add(questions, "d")) {
                Thread.sleep(1);
            }
            awaitAsked(4);
            assertEquals(List.of("a", "b", "c", "d"), asked);
        }
    }

    @Test
    void question_isAskedAgain_afterOneThatFailed() throws Exception {
        try (BackgroundReviews questions = new BackgroundReviews("test", 1, 2)) {
            assertTrue(questions.add(TokenList.hash("a"), () -> {
                throw new InterruptedException("as when it is closed");
            }));
            release.countDown();
            while (asked.isEmpty()) {
                assertTrue(add(questions, "a"));
                Thread.sleep(1);
            }
        }
    }
}
