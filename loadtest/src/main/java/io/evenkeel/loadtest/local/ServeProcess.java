package io.evenkeel.loadtest.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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
        List<String> arguments = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of(options));
        ChildProgram program = ChildProgram.start(
                LaunchedCommand.of(List.of(), arguments.toArray(String[]::new)), System.err::println);
        try {
            return new ServeProcess(program, program.await("evenkeel listens on "));
        } catch (IOException e) {
            program.close();
            throw e;
        }
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
