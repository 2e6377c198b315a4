package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Waits until a condition holds that another thread or process brings about. */
public final class Await {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Await() {}

    /** Evaluates a condition every millisecond until it holds. Fails after two minutes. */
    public static void until(Callable<Boolean> condition) throws InterruptedException {
        until(() -> "the condition did not hold within " + PATIENCE, condition);
    }

    /**
     * Evaluates a condition every millisecond until it holds.
     *
     * @param otherwise the message if it does not hold within two minutes
     */
    public static void until(Supplier<String> otherwise, Callable<Boolean> condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!holds(condition)) {
            if (System.nanoTime() > end) {
                fail(otherwise);
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static boolean holds(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
