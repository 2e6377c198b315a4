package io.evenkeel.loadtest.local;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A server in a separate JVM, so that it shares neither heap nor JIT compiler with the measuring process. It listens on
 * a free loopback port.
 */
public final class ServerUnderTest implements AutoCloseable {
    /** The text before the address on standard output. */
    static final String LISTENS = "evenkeel listens on ";

    private static final String READY = "answering queries";
    private static final Duration READY_WITHIN = Duration.ofMinutes(10);

    private final ManagedProcess process;
    private final CountDownLatch ready;
    private final String target;

    /** Waits until the server listens. */
    private ServerUnderTest(ManagedProcess process, CountDownLatch ready) throws IOException {
        this.process = process;
        this.ready = ready;
        try {
            target = process.await(LISTENS);
        } catch (IOException e) {
            process.close();
            throw e;
        }
    }

    /**
     * Starts a server with default settings and the echo service, and waits until it listens.
     *
     * @param socket the path of a Unix domain socket on which it listens too; may be omitted
     * @throws IOException if it cannot be started, or ends before it listens; its messages go to standard error
     */
    public static ServerUnderTest withEcho(String... socket) throws IOException {
        return new ServerUnderTest(
                ManagedProcess.startInteractive(
                        ManagedProcess.java(List.of(), ServerProgram.class, socket), System.err::println),
                new CountDownLatch(0));
    }

    /**
     * Runs {@code evenkeel serve} as a user does, and waits until it listens.
     *
     * @param options command-line options
     * @throws IOException if it ends before it listens; its messages go to standard error
     */
    public static ServerUnderTest serve(String... options) throws IOException {
        return serve(List.of(), System.err::println, options);
    }

    /**
     * Runs {@code evenkeel serve} with JVM options, and waits until it listens.
     *
     * @param javaOptions options of the JVM, after those of the environment
     * @param log receives the lines of its log, on a separate thread
     */
    public static ServerUnderTest serve(List<String> javaOptions, Consumer<String> log, String... options)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of(options));
        CountDownLatch ready = new CountDownLatch(1);
        Consumer<String> reader = line -> {
            if (line.endsWith(READY)) {
                ready.countDown();
            }
            log.accept(line);
        };
        return new ServerUnderTest(
                ManagedProcess.start(ManagedProcess.evenkeel(javaOptions, arguments.toArray(String[]::new)), reader),
                ready);
    }

    /**
     * Waits until the log of a server that follows a cluster says that it answers queries. Does not poll the server,
     * because that would slow it down.
     *
     * @throws IOException if it ends or takes too long
     */
    public void awaitReady() throws IOException, InterruptedException {
        long end = System.nanoTime() + READY_WITHIN.toNanos();
        while (!ready.await(100, TimeUnit.MILLISECONDS)) {
            if (!isAlive() || System.nanoTime() > end) {
                throw new IOException("the server did not become ready: " + process.lastLines());
            }
        }
    }

    /** The server's host and port. */
    public String target() {
        return target;
    }

    /** Whether its JVM is running. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** The process ID of its JVM. */
    public long pid() {
        return process.pid();
    }

    /** The processor time used so far. */
    public Duration processorTime() {
        return process.processorTime();
    }

    /** The largest resident memory so far, in bytes; 0 if the system does not report it. */
    public long peakMemory() {
        return process.peakMemory();
    }

    /** Kills it with SIGKILL. */
    public void kill() {
        process.kill();
    }

    /** Lets the calls in flight finish, and waits until the JVM has ended. */
    @Override
    public void close() {
        process.close();
    }
}
