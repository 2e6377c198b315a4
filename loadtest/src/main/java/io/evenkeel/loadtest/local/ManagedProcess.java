package io.evenkeel.loadtest.local;

import io.evenkeel.commands.Evenkeel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A program that ends with this process, even if this process is killed: the pipe to its standard input is then closed.
 * A program that does not read its standard input runs under a shell that does:
 *
 * <pre>
 *   this process ──── standard input ───► shell ── SIGTERM, 20 s later SIGKILL ──► program
 *        ▲  ▲                                                                       │  │
 *        │  └─── lines of its standard output, read by {@link #await} ──────────────┘  │
 *        └────── lines of its standard error, for the log ─────────────────────────────┘
 * </pre>
 *
 * Not thread-safe.
 */
public final class ManagedProcess implements AutoCloseable {
    private static final String ATTACHED = """
            exec 3<&0
            sh -c 'echo $$; exec "$@"' sh "$@" </dev/null 3<&- &
            child=$!
            { read -r end; kill $child; sleep 20; kill -KILL $child; } <&3 >/dev/null 2>&1 &
            exec 3<&- >/dev/null 2>&1
            wait $child
            code=$?
            kill $!
            exit $code
            """;

    /** The beginning of a line in a process's status on Linux. */
    private static final String PEAK_KIB = "VmHWM:";

    private static final int WARNS_OF_UNSAFE_SINCE = 23;
    private static final int MAX_UNREAD_LINES = 10_000;
    private static final int LAST_LINES = 5;
    private static final long ENDS_WITHIN_SECONDS = 60;

    private final Process process;
    private final Writer input;
    /** Lines of the standard output. If they are not read, further ones are dropped. */
    private final BlockingQueue<String> unread = new LinkedBlockingQueue<>(MAX_UNREAD_LINES);

    /** The last lines of both outputs. Guarded by itself. */
    private final Deque<String> last = new ArrayDeque<>();

    private final Thread output;
    private final Thread errors;
    /** The process itself, or the child of its shell. */
    private ProcessHandle program;

    private ManagedProcess(ProcessBuilder command, Consumer<String> log) throws IOException {
        process = command.start();
        program = process.toHandle();
        input = process.outputWriter(StandardCharsets.UTF_8);
        output = reader("output", process.inputReader(StandardCharsets.UTF_8), unread::offer);
        errors = reader("errors", process.errorReader(StandardCharsets.UTF_8), log);
    }

    private Thread reader(String name, BufferedReader from, Consumer<String> to) {
        Thread reader = new Thread(() -> pass(from, to), "evenkeel-process-" + name);
        reader.setDaemon(true);
        reader.start();
        return reader;
    }

    private void pass(BufferedReader from, Consumer<String> to) {
        try (from) {
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                synchronized (last) {
                    last.add(line);
                    if (last.size() > LAST_LINES) {
                        last.remove();
                    }
                }
                to.accept(line);
            }
        } catch (IOException e) {
            to.accept("cannot read its output: " + e.getMessage());
        }
    }

    /**
     * Starts a program that need not read its standard input.
     *
     * @param log receives the lines of its standard error, on a separate thread
     */
    public static ManagedProcess start(ProcessBuilder command, Consumer<String> log) throws IOException {
        List<String> attached = new ArrayList<>(List.of("sh", "-c", ATTACHED, "sh"));
        attached.addAll(command.command());
        ManagedProcess started = new ManagedProcess(command.command(attached), log);
        long pid = Long.parseLong(started.await(""));
        started.program = ProcessHandle.of(pid).orElse(started.program);
        return started;
    }

    /**
     * Starts a program that ends with its standard input, and to which lines can be {@linkplain #write written}.
     *
     * @param log receives the lines of its standard error, on a separate thread
     */
    public static ManagedProcess startInteractive(ProcessBuilder command, Consumer<String> log) throws IOException {
        return new ManagedProcess(command, log);
    }

    /**
     * A command that runs a class in a separate JVM with this process's Java and class path. The JVM gets the options
     * in the environment variable {@code EVENKEEL_JAVA_OPTS}, as with the launcher.
     *
     * @param javaOptions options of the JVM, after those of the environment
     * @param main the class to run
     */
    public static ProcessBuilder java(List<String> javaOptions, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(javaProgram()));
        if (Runtime.version().feature() >= WARNS_OF_UNSAFE_SINCE) {
            command.add("--sun-misc-unsafe-memory-access=allow");
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.add("-XX:+ExitOnOutOfMemoryError");
        String options = System.getenv("EVENKEEL_JAVA_OPTS");
        if (options != null && !options.isBlank()) {
            command.addAll(List.of(options.strip().split("\\s+")));
        }
        command.addAll(javaOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command);
    }

    private static String javaProgram() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * An Evenkeel command as a user starts it: by the launcher that started this process. If there is no launcher, as
     * in tests, its class is run with this process's class path.
     *
     * @param javaOptions options of its JVM, after those of the environment
     */
    static ProcessBuilder evenkeel(List<String> javaOptions, String... arguments) {
        String launcher = System.getProperty("evenkeel.launcher");
        if (launcher == null) {
            return java(javaOptions, Evenkeel.class, arguments);
        }
        List<String> command = new ArrayList<>(List.of(launcher));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder process = new ProcessBuilder(command);
        process.environment().put("EVENKEEL_JAVA", javaProgram());
        process.environment()
                .merge("EVENKEEL_JAVA_OPTS", String.join(" ", javaOptions), (given, more) -> given + " " + more);
        return process;
    }

    /**
     * Runs a command to its end.
     *
     * @return its output
     * @throws IOException if it fails; contains its output
     */
    public static String output(List<String> command) throws IOException, InterruptedException {
        Process program = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (program.waitFor() != 0) {
            throw new IOException(command + " failed: " + output);
        }
        return output;
    }

    /**
     * Reads lines of its standard output until one begins with {@code beginning}.
     *
     * @return the rest of that line
     * @throws IOException if the program ends first; contains the last lines of its output
     */
    public String await(String beginning) throws IOException {
        try {
            while (true) {
                boolean ended = !output.isAlive();
                String line = unread.poll(ended ? 0 : 10, TimeUnit.MILLISECONDS);
                if (line != null && line.startsWith(beginning)) {
                    return line.substring(beginning.length());
                }
                if (line == null && ended) {
                    errors.join(TimeUnit.SECONDS.toMillis(1));
                    throw new IOException("the program ended with exit code " + process.waitFor()
                            + " before it printed '" + beginning + "': " + lastLines());
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for '" + beginning + "'");
        }
    }

    /** Writes a line to its standard input. */
    public void write(String line) throws IOException {
        input.write(line + '\n');
        input.flush();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return program.pid();
    }

    /** The programs that it started. */
    public Stream<ProcessHandle> descendants() {
        return program.descendants();
    }

    /** The processor time used so far. */
    public Duration processorTime() {
        return program.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** The largest resident memory so far, in bytes; 0 if the system does not report it. */
    public long peakMemory() {
        try (Stream<String> status = Files.lines(Path.of("/proc/" + pid() + "/status"))) {
            return status.filter(line -> line.startsWith(PEAK_KIB))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .sum();
        } catch (IOException | UncheckedIOException unknown) {
            return 0;
        }
    }

    /** The last lines of its output. */
    public String lastLines() {
        synchronized (last) {
            return String.join("\n", last);
        }
    }

    /** Kills it with SIGKILL, and waits until it has ended. */
    public void kill() {
        program.destroyForcibly();
        close();
    }

    /** Ends its standard input, and waits until it has ended and the last lines of its standard error were received. */
    @Override
    public void close() {
        try {
            input.close();
            if (!process.waitFor(ENDS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                program.destroyForcibly();
            }
            // Bounded, because programs that it started may still hold the pipe.
            errors.join(TimeUnit.SECONDS.toMillis(ENDS_WITHIN_SECONDS));
        } catch (IOException alreadyGone) {
            program.destroyForcibly();
        } catch (InterruptedException interrupted) {
            // Its standard input is closed, so it ends too.
            Thread.currentThread().interrupt();
        }
    }
}
