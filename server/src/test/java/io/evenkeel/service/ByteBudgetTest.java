package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A budget that several threads take from. */
@Timeout(60)
final class ByteBudgetTest {
    private static final int ROUNDS = 50_000;

    @Test
    void ofTwoThatComeTogether_oneIsGrantedWhatIsThere() throws Exception {
        ByteBudget budget = new ByteBudget(10);
        AtomicInteger together = new AtomicInteger();
        boolean[] other = new boolean[1];
        Thread rival = new Thread(() -> {
            for (int round = 0; round < ROUNDS; round++) {
                meet(together);
                other[0] = budget.tryTake(6);
                meet(together);
            }
        });
        rival.setDaemon(true);
        rival.start();
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            meet(together);
            boolean own = budget.tryTake(6);
            meet(together);
            assertTrue(!own || !other[0], "both of round " + round);
            refused += own || other[0] ? 0 : 1;
            budget.giveBack(budget.held());
        }
        rival.join();
        assertEquals(0, refused, "rounds in which both were refused");
    }

    /** Both go on at once: a thread that slept would come late. */
    private static void meet(AtomicInteger arrived) {
        int all = (arrived.getAndIncrement() / 2 + 1) * 2;
        while (arrived.get() < all) {
            Thread.onSpinWait();
        }
    }
}
