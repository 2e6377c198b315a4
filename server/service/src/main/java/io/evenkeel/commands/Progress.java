package io.evenkeel.commands;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.io.PrintWriter;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Prints on standard error what a command is doing, for each step that takes longer than a second. */
final class Progress implements AutoCloseable {
    private final String command;
    private final PrintWriter err;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(new ThreadFactoryBuilder()
            .setNameFormat("evenkeel-progress")
            .setDaemon(true)
            .build());
    private @Nullable ScheduledFuture<?> next;

    /** @param command the command's name in front of each line */
    Progress(String command, PrintWriter err) {
        this.command = command;
        this.err = err;
    }

    /** Begins a step, which ends the one before. */
    void begin(String step) {
        end();
        next = timer.schedule(
                () -> {
                    err.println(command + ": " + step + " ...");
                    err.flush();
                },
                1,
                TimeUnit.SECONDS);
    }

    /** Ends the step. */
    void end() {
        ScheduledFuture<?> last = next;
        if (last != null) {
            last.cancel(false);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
