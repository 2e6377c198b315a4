package io.evenkeel.loadtest.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a server and the echo service in a separate JVM, so that they share neither heap nor JIT compiler with the
 * measuring process. {@link JavaCommand} runs it.
 */
public final class SeparateServer implements AutoCloseable {
    private static final long STOPS_WITHIN_SECONDS = 10;

    private final Process process;
    private final int port;

    private SeparateServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a server, and waits until it listens.
     *
     * @throws IOException if it cannot be started, or ends before it listens; its messages go to standard error
     */
    public static SeparateServer start() throws IOException {
        return startWith(List.of());
    }

    /**
     * Starts a server that also listens on a Unix domain socket, and waits until it listens.
     *
     * @param socket the path of the socket
     */
    public static SeparateServer startWithSocket(Path socket) throws IOException {
        return startWith(List.of(socket.toString()));
    }

    private static SeparateServer startWith(List<String> arguments) throws IOException {
        List<String> command = JavaCommand.of(List.of(), ServerProgram.class);
        command.addAll(arguments);
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
            // A message from the JVM itself.
            System.err.println(line);
        }
        process.destroyForcibly();
        throw new IOException("the server's JVM ended before it listened: " + command.get(0));
    }

    /** The server's host and port. */
    public String target() {
        return "127.0.0.1:" + port;
    }

    /** Whether the JVM is running. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** The process ID of the JVM. */
    public long pid() {
        return process.pid();
    }

    /** Lets the calls in flight finish, and waits until the JVM has ended. */
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
