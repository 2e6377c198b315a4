package io.evenkeel.eviction;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Asks a command to stop at SIGINT or SIGTERM, and lets it print what it has done before the program ends. A call of
 * the command that takes long is abandoned.
 */
public final class StopHook implements AutoCloseable {
    private static final long SECONDS_TO_STOP = 3;
    private static final long SECONDS_TO_PRINT = 5;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;

    /**
     * Begins to wait for a signal. Any thread may call what is given.
     *
     * @param stop asks the command to stop
     * @param abandon ends the call that the command is waiting for
     */
    public StopHook(Runnable stop, Runnable abandon) {
        hook = new Thread(
                () -> {
                    stop.run();
                    try {
                        if (!done.await(SECONDS_TO_STOP, TimeUnit.SECONDS)) {
                            abandon.run();
                            boolean unused = done.await(SECONDS_TO_PRINT, TimeUnit.SECONDS);
                        }
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
