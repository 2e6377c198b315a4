package io.evenkeel.loadtest.local;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs {@code evenkeel serve} in a separate JVM, as a user does, on a free loopback port. */
public final class ServeProcess implements AutoCloseable {
    private final ChildProgram program;
    private final String target;

    private ServeProcess(ChildProgram program, String target) {
        this.program = program;
        this.target = target;
    }

    /**
     * Starts the server, and waits until it listens.
     *
     * @param options command-line options
     * @throws IOException if it ends before it listens; its messages go to standard error
     */
    public static ServeProcess start(String... options) throws IOException {
        return start(List.of(), System.err::println, options);
    }

    /**
     * Starts the server with JVM options, and waits until it listens.
     *
     * @param javaOptions options of the JVM, after those of the environment
     * @param log receives the lines of its log, on a separate thread
     */
    public static ServeProcess start(List<String> javaOptions, Consumer<String> log, String... options)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of(options));
        ChildProgram program =
                ChildProgram.start(LaunchedCommand.of(javaOptions, arguments.toArray(String[]::new)), log);
        try {
            return new ServeProcess(program, program.await("evenkeel listens on "));
        } catch (IOException e) {
            program.close();
            throw e;
        }
    }

    /** Whether the process is running. */
    public boolean isAlive() {
        return program.isAlive();
    }

    /** The processor time used so far. */
    public Duration cpu() {
        return program.cpu();
    }

    /** The server's host and port. */
    public String target() {
        return target;
    }

    @Override
    public void close() {
        program.close();
    }
}
