package io.evenkeel.lab.scheduler;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.loadtest.local.ManagedProcess;
import io.evenkeel.loadtest.local.ServerUnderTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A running scheduler, with its client's rate limits raised, and the Evenkeel server that it calls, if any. */
final class Contender implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int CALLS_PER_SECOND = 10_000;
    private static final Duration STARTS_WITHIN = Duration.ofMinutes(1);

    private final ManagedProcess scheduler;
    private final ApiServer endpoint;
    private final RaceOptions options;
    private final @Nullable LagProxy lag;
    private @Nullable ServerUnderTest evenkeel;
    private Duration timeOfKilledEvenkeel = Duration.ZERO;

    private Contender(
            ManagedProcess scheduler,
            ApiServer endpoint,
            RaceOptions options,
            @Nullable LagProxy lag,
            @Nullable ServerUnderTest evenkeel) {
        this.scheduler = scheduler;
        this.endpoint = endpoint;
        this.options = options;
        this.lag = lag;
        this.evenkeel = evenkeel;
    }

    /**
     * Starts the scheduler, and waits until its informers have synced.
     *
     * @param leadIn runs before the scheduler starts
     */
    static Contender start(Side side, ControlPlane plane, RaceOptions options, RaceWarmUp leadIn)
            throws IOException, InterruptedException {
        ServerUnderTest evenkeel = side.asksEvenkeel() ? evenkeel(options) : null;
        LagProxy lag = null;
        try {
            leadIn.run(evenkeel == null ? null : options.socket());
            Path program = switch (side) {
                case STOCK -> ControlPlane.programs().resolve("kube-scheduler");
                case RECORDED, INCREMENTAL -> Programs.benchmark();
                case EVENKEEL, LAGGING, KILLED, SHADOW, AUDITED -> Programs.evenkeel();
            };
            ObjectNode configuration = configuration(side, options);
            int port = freePort();
            ApiServer endpoint = new ApiServer(
                    URI.create("https://127.0.0.1:" + port),
                    plane.directory().resolve("ca.crt"),
                    Files.readString(plane.directory().resolve("token")).strip());
            Path kubeconfig = plane.kubeconfig();
            if (side == Side.LAGGING) {
                lag = new LagProxy(plane.apiPort(), Side.LAG_MILLIS);
                kubeconfig = Files.writeString(
                        options.work().resolve("lagging.kubeconfig"),
                        Files.readString(kubeconfig).replace(":" + plane.apiPort(), ":" + lag.port()));
            }
            ManagedProcess scheduler = scheduler(program, configuration, plane, kubeconfig, port, options.work());
            awaitReady(scheduler, endpoint);
            return new Contender(scheduler, endpoint, options, lag, evenkeel);
        } catch (IOException | InterruptedException | RuntimeException e) {
            if (lag != null) {
                lag.close();
            }
            if (evenkeel != null) {
                evenkeel.close();
            }
            throw e;
        }
    }

    /** Runs {@code evenkeel serve} on a socket, as deployed next to a scheduler, which feeds it. */
    private static ServerUnderTest evenkeel(RaceOptions options) throws IOException {
        return ServerUnderTest.serve(List.of(), line -> {}, "--listen", options.socket());
    }

    private static ObjectNode configuration(Side side, RaceOptions options) throws IOException {
        if (side == Side.STOCK) {
            return JSON.createObjectNode()
                    .put("apiVersion", "kubescheduler.config.k8s.io/v1")
                    .put("kind", "KubeSchedulerConfiguration");
        }
        // The shipped configuration of Evenkeel's plugin, with another plugin in its place.
        String shipped = Files.readString(Programs.configuration()).replace(Side.EVENKEEL.plugin(), side.plugin());
        ObjectNode configuration = (ObjectNode) new YAMLMapper().readTree(shipped);
        ObjectNode arguments = (ObjectNode) configuration.requiredAt("/profiles/0/pluginConfig/0/args");
        if (side == Side.RECORDED) {
            arguments.removeAll().put("file", options.recording().toString());
        } else if (side == Side.INCREMENTAL) {
            ObjectNode original = (ObjectNode) arguments.required("podTopologySpreadArgs");
            arguments.removeAll().setAll(original);
        } else {
            arguments
                    .put("server", options.socket())
                    .put("mode", side == Side.SHADOW ? "Shadow" : "Evenkeel")
                    .put("replayDirectory", options.replays().toString());
            if (options.minNodes() != null) {
                arguments.put("minNodes", options.minNodes());
            }
            if (options.minWaitMillis() != null) {
                arguments.put("minWait", options.minWaitMillis() + "ms");
            }
            if (side == Side.AUDITED) {
                arguments.put("auditEvery", 1);
            }
        }
        return configuration;
    }

    private static ManagedProcess scheduler(
            Path program, ObjectNode configuration, ControlPlane plane, Path kubeconfig, int port, Path work)
            throws IOException {
        configuration
                .putObject("clientConnection")
                .put("kubeconfig", kubeconfig.toString())
                .put("qps", CALLS_PER_SECOND)
                .put("burst", CALLS_PER_SECOND);
        configuration.putObject("leaderElection").put("leaderElect", false);
        Path file = work.resolve("scheduler.json");
        JSON.writeValue(file.toFile(), configuration);
        Path certificates = plane.directory();
        ProcessBuilder command = new ProcessBuilder(
                program.toString(),
                "--config=" + file,
                "--authentication-kubeconfig=" + plane.kubeconfig(),
                "--authorization-kubeconfig=" + plane.kubeconfig(),
                "--bind-address=127.0.0.1",
                "--secure-port=" + port,
                "--tls-cert-file=" + certificates.resolve("apiserver.crt"),
                "--tls-private-key-file=" + certificates.resolve("apiserver.key"));
        return ManagedProcess.start(command, line -> {});
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Stops the scheduler if it does not become ready. */
    private static void awaitReady(ManagedProcess scheduler, ApiServer endpoint)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        try {
            while (!isReady(endpoint)) {
                if (!scheduler.isAlive() || System.nanoTime() - begin > STARTS_WITHIN.toNanos()) {
                    throw new IOException("the scheduler did not become ready: " + scheduler.lastLines());
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            scheduler.close();
            throw e;
        }
    }

    private static boolean isReady(ApiServer endpoint) {
        try {
            String unused = endpoint.text("/readyz").join();
            return true;
        } catch (CompletionException notYet) {
            return false;
        }
    }

    /** The scheduler's metrics. */
    Metrics metrics() {
        return Metrics.parse(endpoint.text("/metrics").join());
    }

    /** Kills its Evenkeel server with SIGKILL. */
    void killEvenkeel() {
        ServerUnderTest killed = evenkeel;
        if (killed != null) {
            timeOfKilledEvenkeel = killed.processorTime();
            killed.kill();
            evenkeel = null;
        }
    }

    /** Starts another Evenkeel server in the place of the killed one, and waits until it listens. */
    void restartEvenkeel() throws IOException {
        evenkeel = evenkeel(options);
    }

    Duration schedulerTime() {
        return scheduler.processorTime();
    }

    /** The processor time of its Evenkeel server. */
    Duration evenkeelTime() {
        return evenkeel == null ? timeOfKilledEvenkeel : timeOfKilledEvenkeel.plus(evenkeel.processorTime());
    }

    /** The largest resident memory of the scheduler so far, in bytes. */
    long schedulerMemory() {
        return scheduler.peakMemory();
    }

    /** The largest resident memory so far of its Evenkeel server that runs, in bytes; 0 without one. */
    long evenkeelMemory() {
        return evenkeel == null ? 0 : evenkeel.peakMemory();
    }

    @Override
    public void close() {
        scheduler.close();
        if (lag != null) {
            lag.close();
        }
        if (evenkeel != null) {
            evenkeel.close();
        }
    }
}
