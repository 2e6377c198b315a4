package io.evenkeel.eviction;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Asks a command to stop at SIGINT or SIGTERM, and lets it print what it has done before the program ends. */
public final class StopHook implements AutoCloseable {
    private static final long SECONDS = 5;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;

    /** @param stop asks the command to stop; any thread may call it */
    public StopHook(Runnable stop) {
        hook = new Thread(
                () -> {
                    stop.run();
                    try {
                        boolean unused = done.await(SECONDS, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "evenkeel-stop");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The command is done. */
    @Override
    public void close() {
        done.countDown();
        try {
            boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program is ending, and has called the hook.
        }
    }
}
