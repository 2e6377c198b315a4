package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a budget that is used by several threads. */
@Timeout(60)
final class ByteBudgetTest {
    private static final int ROUNDS = 50_000;

    @Test
    void whatFindsNoRoom_keepsNoOneElseFromTheirs() throws Exception {
        ByteBudget budget = new ByteBudget(10);
        AtomicInteger together = new AtomicInteger();
        AtomicInteger granted = new AtomicInteger();
        Thread tooLarge = new Thread(() -> {
            for (int round = 0; round < ROUNDS; round++) {
                meet(together);
                granted.addAndGet(budget.tryTake(11) ? 1 : 0);
                meet(together);
            }
        });
        tooLarge.setDaemon(true);
        tooLarge.start();
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            meet(together);
            refused += budget.tryTake(6) ? 0 : 1;
            meet(together);
            budget.giveBack(budget.held());
        }
        tooLarge.join();
        assertEquals(0, granted.get());
        assertEquals(0, refused);
    }

    /** Both threads continue at once. They spin, because waking a sleeping thread takes too long. */
    private static void meet(AtomicInteger arrived) {
        int all = (arrived.getAndIncrement() / 2 + 1) * 2;
        while (arrived.get() < all) {
            Thread.onSpinWait();
        }
    }
}
