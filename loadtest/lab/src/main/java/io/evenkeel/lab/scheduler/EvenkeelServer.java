package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.local.LaunchedCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** {@code evenkeel serve --kube} on a socket, as deployed next to a scheduler. It can be killed and restarted. */
final class EvenkeelServer implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofMinutes(2);

    private final Path kubeconfig;
    private final Path work;
    private final HttpClient client = HttpClient.newHttpClient();
    private AttachedProcess process;
    private Duration ofEarlierOnes = Duration.ZERO;

    private EvenkeelServer(Path kubeconfig, Path work) throws IOException, InterruptedException {
        this.kubeconfig = kubeconfig;
        this.work = work;
        process = started();
    }

    /**
     * Starts the server, and waits until it is ready.
     *
     * @param work a directory for its socket and its log
     */
    static EvenkeelServer start(Path kubeconfig, Path work) throws IOException, InterruptedException {
        return new EvenkeelServer(kubeconfig, work);
    }

    private AttachedProcess started() throws IOException, InterruptedException {
        int port = Contender.freePort();
        ProcessBuilder serve = LaunchedCommand.of(
                List.of(),
                "serve",
                "--kube",
                "--kubeconfig",
                kubeconfig.toString(),
                "--listen",
                target(),
                "--metrics",
                "127.0.0.1:" + port);
        AttachedProcess begun = AttachedProcess.start(work.resolve("evenkeel.log"), serve);
        HttpRequest ready = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/readyz"))
                .build();
        begun.awaitReady("evenkeel serve", READY_WITHIN, () -> isReady(ready));
        return begun;
    }

    private boolean isReady(HttpRequest ready) throws InterruptedException {
        try {
            return client.send(ready, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException notYet) {
            // Not listening yet.
            return false;
        }
    }

    /** The address for schedulers. */
    String target() {
        return "unix:" + work.resolve("evenkeel.sock");
    }

    /** Kills it with SIGKILL. */
    void kill() {
        ofEarlierOnes = processorTime();
        process.kill();
        process.close();
    }

    /** Restarts it after a kill, and waits until it is ready. */
    void startAgain() throws IOException, InterruptedException {
        process = started();
    }

    /** The processor time used so far. */
    Duration processorTime() {
        return process.isAlive() ? ofEarlierOnes.plus(process.processorTime()) : ofEarlierOnes;
    }

    @Override
    public void close() {
        process.close();
    }
}
