package io.evenkeel.lab.scheduler;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that ends with this process, even if this process is killed. Its output goes to a file. */
final class AttachedProcess implements AutoCloseable {
    /** A shell script that runs the program, and stops it when the shell's standard input ends. */
    private static final String ATTACHED = """
            exec 3<&0
            "$@" </dev/null >>"$0" 2>&1 3<&- &
            child=$!
            echo $child
            exec >/dev/null
            { read -r end; kill $child; sleep 20; kill -KILL $child; } <&3 2>/dev/null &
            exec 3<&-
            wait $child
            kill $!
            """;

    /** Checks whether a running program is ready. */
    interface Readiness {
        boolean isThere() throws IOException, InterruptedException;
    }

    private static final long ENDS_WITHIN_SECONDS = 25;

    private final Process shell;
    private final ProcessHandle program;
    private final Path log;

    private AttachedProcess(Process shell, ProcessHandle program, Path log) {
        this.shell = shell;
        this.program = program;
        this.log = log;
    }

    static AttachedProcess start(Path log, List<String> command) throws IOException {
        return start(log, new ProcessBuilder(command));
    }

    /** @param unattached the command and environment of the program */
    static AttachedProcess start(Path log, ProcessBuilder unattached) throws IOException {
        List<String> command = unattached.command();
        List<String> attached = new ArrayList<>(List.of("sh", "-c", ATTACHED, log.toString()));
        attached.addAll(command);
        Process shell = unattached
                .command(attached)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader pid = shell.inputReader()) {
            long number = Long.parseLong(String.valueOf(pid.readLine()));
            return new AttachedProcess(
                    shell,
                    ProcessHandle.of(number).orElseThrow(() -> new IOException(command.get(0) + " ended immediately")),
                    log);
        }
    }

    boolean isAlive() {
        return shell.isAlive();
    }

    /**
     * Waits until the program is ready. Stops it if it does not become ready.
     *
     * @param name the program's name in errors
     * @throws IOException if it has ended, or takes too long; contains the last lines of its output
     */
    void awaitReady(String name, Duration within, Readiness readiness) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        try {
            while (!readiness.isThere()) {
                if (!isAlive() || System.nanoTime() - begin > within.toNanos()) {
                    throw new IOException(name + " did not become ready: " + lastLines());
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** The processor time used so far. */
    Duration processorTime() {
        return program.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Kills it with SIGKILL. */
    void kill() {
        program.destroyForcibly();
    }

    /** The last lines of its output. */
    String lastLines() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
    }

    @Override
    public void close() {
        try {
            shell.getOutputStream().close();
            if (!shell.waitFor(ENDS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                program.destroyForcibly();
            }
        } catch (IOException alreadyGone) {
            program.destroyForcibly();
        } catch (InterruptedException interrupted) {
            program.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
