package io.evenkeel.loadtest.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A program in a separate JVM with this process's Java and class path. It exchanges lines with this process, and ends
 * with it. Not thread-safe.
 */
public final class ChildProgram implements AutoCloseable {
    private static final long STOPS_WITHIN_SECONDS = 10;

    private final Process process;
    private final BufferedReader output;
    private final Writer input;
    private final Thread errors;
    private final Thread hook;

    private ChildProgram(Process process, Thread errors) {
        this.process = process;
        this.errors = errors;
        output = process.inputReader(StandardCharsets.UTF_8);
        input = process.outputWriter(StandardCharsets.UTF_8);
        hook = new Thread(process::destroyForcibly, "kill-child");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts a class with a main method.
     *
     * @param javaOptions options of its JVM, after those of the environment
     * @param errors receives the lines of its standard error, on a separate thread
     */
    public static ChildProgram start(
            List<String> javaOptions, Consumer<String> errors, Class<?> main, String... arguments) throws IOException {
        List<String> command = JavaCommand.of(javaOptions, main);
        command.addAll(Arrays.asList(arguments));
        return start(new ProcessBuilder(command), errors);
    }

    /**
     * Starts a process.
     *
     * @param errors receives the lines of its standard error, on a separate thread
     */
    public static ChildProgram start(ProcessBuilder command, Consumer<String> errors) throws IOException {
        Process process = command.start();
        Thread reader = new Thread(() -> pass(process.errorReader(StandardCharsets.UTF_8), errors), "child-errors");
        reader.setDaemon(true);
        reader.start();
        return new ChildProgram(process, reader);
    }

    private static void pass(BufferedReader lines, Consumer<String> to) {
        try (lines) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                to.accept(line);
            }
        } catch (IOException e) {
            to.accept("cannot read its standard error: " + e.getMessage());
        }
    }

    /**
     * Reads lines until one begins with {@code beginning}.
     *
     * @return the rest of that line
     * @throws IOException if the program ends first
     */
    public String await(String beginning) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length());
            }
        }
        throw new IOException("the program ended with exit code "
                + process.onExit().join().exitValue() + " before it printed '" + beginning + "'");
    }

    public void write(String line) throws IOException {
        input.write(line + '\n');
        input.flush();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The processor time used so far. */
    public Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Sends it SIGTERM, and waits until it has ended and the last lines of its standard error were received. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOPS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            // Bounded, because programs that it started may still hold the pipe.
            errors.join(Duration.ofSeconds(STOPS_WITHIN_SECONDS).toMillis());
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
