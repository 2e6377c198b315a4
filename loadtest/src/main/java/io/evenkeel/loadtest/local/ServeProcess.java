package io.evenkeel.loadtest.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs {@code evenkeel serve} in a JVM of its own, as a user does, on a free port of the loopback interface. */
public final class ServeProcess implements AutoCloseable {
    private static final String LISTENS = "evenkeel listens on ";
    private static final long STOPS_WITHIN_SECONDS = 10;

    private final Process process;
    private final String target;

    private ServeProcess(Process process, String target) {
        this.process = process;
        this.target = target;
    }

    /**
     * Starts it, and waits until it listens.
     *
     * @param options options of the command
     * @throws IOException where it ends before it listens; its own messages go to standard error
     */
    public static ServeProcess start(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of(options));
        Process process = LaunchedCommand.of(List.of(), arguments.toArray(String[]::new))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = process.inputReader();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(LISTENS)) {
                return new ServeProcess(process, line.substring(LISTENS.length()));
            }
        }
        process.destroyForcibly();
        throw new IOException("the server's JVM ended before it listened");
    }

    /** The server's host and port. */
    public String target() {
        return target;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOPS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
