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
 * A program in a JVM of its own, with the Java and the class path of this process, to which lines are written and from
 * which lines are read. It ends with this process. Not thread-safe.
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
     * @param errors takes the lines that it writes to standard error, in a thread of its own
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
     * @param errors takes the lines that it writes to standard error, in a thread of its own
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
            to.accept("its errors cannot be read: " + e.getMessage());
        }
    }

    /**
     * Reads lines up to one that begins with {@code beginning}.
     *
     * @return what follows it
     * @throws IOException where the program ends before
     */
    public String await(String beginning) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length());
            }
        }
        throw new IOException("the program ended with exit code "
                + process.onExit().join().exitValue() + " before it said '" + beginning + "'");
    }

    public void write(String line) throws IOException {
        input.write(line + '\n');
        input.flush();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The processor time that it has used. */
    public Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Asks it to end by SIGTERM, and waits until it has ended and its last errors were taken. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOPS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            // Not for ever: programs that it has started may still hold the pipe.
            errors.join(Duration.ofSeconds(STOPS_WITHIN_SECONDS).toMillis());
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
