package io.evenkeel.loadtest.local;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs {@code evenkeel serve} in a JVM of its own, as a user does, on a free port of the loopback interface. */
public final class ServeProcess implements AutoCloseable {
    private final ChildProgram program;
    private final String target;

    private ServeProcess(ChildProgram program, String target) {
        this.program = program;
        this.target = target;
    }

    /**
     * Starts it, and waits until it listens.
     *
     * @param options options of the command
     * @throws IOException where it ends before it listens; its own messages go to standard error
     */
    public static ServeProcess start(String... options) throws IOException {
        return start(List.of(), System.err::println, options);
    }

    /**
     * As {@link #start(String...)}.
     *
     * @param javaOptions options of the JVM, after those of the environment
     * @param log takes the lines of its log, in a thread of its own
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

    /** Whether the process runs. */
    public boolean isAlive() {
        return program.isAlive();
    }

    /** The processor time that it has used. */
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
