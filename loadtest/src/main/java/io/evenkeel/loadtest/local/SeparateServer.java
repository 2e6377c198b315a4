package io.evenkeel.loadtest.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server in a JVM of its own, with the echo service beside it, so that it shares neither heap nor compiler with what
 * measures it. It runs on the Java of this process and its class path, with the options in the environment variable
 * {@code EVENKEEL_JAVA_OPTS}, as the launcher passes them on.
 */
public final class SeparateServer implements AutoCloseable {
    private static final int WARNS_OF_UNSAFE_SINCE = 23;
    private static final long STOPS_WITHIN_SECONDS = 10;

    private final Process process;
    private final int port;

    private SeparateServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts one and waits until it listens.
     *
     * @throws IOException where it cannot be started, or ends before it listens; what it says itself goes to standard
     *     error
     */
    public static SeparateServer start() throws IOException {
        return start(List.of());
    }

    /**
     * As {@link #start()}.
     *
     * @param javaOptions of its JVM, after those of the environment
     */
    public static SeparateServer start(List<String> javaOptions) throws IOException {
        List<String> command = command(javaOptions);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(ServerProgram.LISTENS)) {
                Thread rest = new Thread(() -> output.lines().forEach(System.err::println), "evenkeel-server-output");
                rest.setDaemon(true);
                rest.start();
                return new SeparateServer(
                        process, Integer.parseInt(line, ServerProgram.LISTENS.length(), line.length(), 10));
            }
            // Of the JVM itself, as its options say.
            System.err.println(line);
        }
        process.destroyForcibly();
        throw new IOException("the server's JVM ended before it listened: " + command.get(0));
    }

    private static List<String> command(List<String> javaOptions) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
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
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ServerProgram.class.getName()));
        return command;
    }

    /** Host and port. */
    public String target() {
        return "127.0.0.1:" + port;
    }

    /** Whether its JVM runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** The process id of its JVM. */
    public long pid() {
        return process.pid();
    }

    /** Lets calls under way end, and waits until the JVM is gone. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(STOPS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException alreadyGone) {
            process.destroyForcibly();
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
