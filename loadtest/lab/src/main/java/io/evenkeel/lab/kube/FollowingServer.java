package io.evenkeel.lab.kube;

import io.evenkeel.loadtest.local.ServeProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** {@code evenkeel serve --kube} in a separate JVM, as a user runs it. */
final class FollowingServer implements AutoCloseable {
    private static final String READY = "queries are answered";

    private final ServeProcess process;
    private final CountDownLatch ready;

    private FollowingServer(ServeProcess process, CountDownLatch ready) {
        this.process = process;
        this.ready = ready;
    }

    /**
     * Starts the server, and waits until it listens. It may not answer queries yet.
     *
     * @param javaOptions options of the JVM, after those of the environment
     * @param log receives the lines of its log, on a separate thread
     * @throws IOException if it ends before it listens
     */
    static FollowingServer start(Path kubeconfig, List<String> javaOptions, Consumer<String> log) throws IOException {
        CountDownLatch ready = new CountDownLatch(1);
        ServeProcess process = ServeProcess.start(
                javaOptions,
                line -> {
                    if (line.endsWith(READY)) {
                        ready.countDown();
                    }
                    log.accept(line);
                },
                "--kube",
                "--kubeconfig",
                kubeconfig.toString());
        return new FollowingServer(process, ready);
    }

    /**
     * Waits until its log says that it answers queries, or until it has ended. Does not poll it, because that would
     * slow it down.
     */
    void awaitReady() throws InterruptedException {
        while (!ready.await(100, TimeUnit.MILLISECONDS) && isAlive()) {
            // Still loading.
        }
    }

    /** The server's host and port. */
    String target() {
        return process.target();
    }

    /** Whether its JVM is running. */
    boolean isAlive() {
        return process.isAlive();
    }

    /** The processor time used so far. */
    Duration cpu() {
        return process.cpu();
    }

    @Override
    public void close() {
        process.close();
    }
}
