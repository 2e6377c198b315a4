package io.evenkeel.lab.scheduler;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.evenkeel.example.SmallScheduler;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.loadtest.local.JavaCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A running scheduler, with its client's rate limits raised, and the Evenkeel server or echo that it calls, if any. */
final class Contender implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int CALLS_PER_SECOND = 10_000;
    private static final Duration STARTS_WITHIN = Duration.ofMinutes(1);

    private final AttachedProcess scheduler;
    private final @Nullable ApiServer endpoint;
    private final @Nullable EvenkeelServer evenkeel;
    private final @Nullable AttachedProcess echo;

    private Contender(
            AttachedProcess scheduler,
            @Nullable ApiServer endpoint,
            @Nullable EvenkeelServer evenkeel,
            @Nullable AttachedProcess echo) {
        this.scheduler = scheduler;
        this.endpoint = endpoint;
        this.evenkeel = evenkeel;
        this.echo = echo;
    }

    /**
     * Starts the scheduler, and waits until its informers have synced.
     *
     * @param evenkeelReads the kubeconfig of its Evenkeel server, if it has one
     * @param deadline the plugin's deadline in its configuration's format; empty for the shipped default
     * @param replays the directory to which shadow mode writes answers that differ
     * @param leadIn runs before the scheduler starts
     * @param recording the recording to play if {@link Side#isRecorded}
     * @param work a directory for its configuration and its log
     */
    static Contender start(
            Side side,
            ControlPlane plane,
            Path evenkeelReads,
            String deadline,
            Path replays,
            LeadIn leadIn,
            Path recording,
            Path work)
            throws IOException, InterruptedException {
        if (!side.asksEvenkeel()) {
            leadIn.run(null);
        }
        return switch (side) {
            case STOCK -> stock(plane, work);
            case RECORDED, WAITING, ECHO -> recorded(side, plane, recording, work);
            case JVM -> small(plane, work);
            case EVENKEEL, KILLED, SHADOW, WITHHELD ->
                beside(side, plane, evenkeelReads, deadline, replays, leadIn, work);
        };
    }

    private static Contender stock(ControlPlane plane, Path work) throws IOException, InterruptedException {
        ObjectNode configuration = JSON.createObjectNode()
                .put("apiVersion", "kubescheduler.config.k8s.io/v1")
                .put("kind", "KubeSchedulerConfiguration");
        return start(ControlPlane.programs().resolve("kube-scheduler"), configuration, null, null, plane, work);
    }

    private static Contender recorded(Side side, ControlPlane plane, Path recording, Path work)
            throws IOException, InterruptedException {
        Path program = Programs.recorded();
        Path socket = work.resolve("echo.sock");
        AttachedProcess echo = side == Side.ECHO ? echo(socket, work) : null;
        try {
            ObjectNode plays = shipped(side.plugin());
            arguments(plays)
                    .removeAll()
                    .put("file", recording.toString())
                    .put("wait", side.waits().toMillis() + "ms")
                    .put("echo", echo == null ? "" : "unix:" + socket);
            return start(program, plays, null, echo, plane, work);
        } catch (IOException | InterruptedException | RuntimeException e) {
            if (echo != null) {
                echo.close();
            }
            throw e;
        }
    }

    private static AttachedProcess echo(Path socket, Path work) throws IOException, InterruptedException {
        // An earlier echo was killed, and left its socket behind.
        Files.deleteIfExists(socket);
        AttachedProcess echo = AttachedProcess.start(
                work.resolve("echo.log"), List.of(Programs.echo().toString(), socket.toString()));
        echo.awaitReady("the echo", STARTS_WITHIN, () -> Files.exists(socket));
        return echo;
    }

    private static Contender small(ControlPlane plane, Path work) throws IOException {
        List<String> command = JavaCommand.of(List.of(), SmallScheduler.class);
        command.addAll(List.of(RacePods.SCHEDULER, plane.kubeconfig().toString()));
        return new Contender(AttachedProcess.start(work.resolve("scheduler.log"), command), null, null, null);
    }

    private static Contender beside(
            Side side, ControlPlane plane, Path evenkeelReads, String deadline, Path replays, LeadIn leadIn, Path work)
            throws IOException, InterruptedException {
        Path program = Programs.evenkeel();
        EvenkeelServer evenkeel = EvenkeelServer.start(evenkeelReads, work);
        try {
            leadIn.run(evenkeel.target());
            ObjectNode asks = shipped(side.plugin());
            arguments(asks).put("server", evenkeel.target()).put("mode", side.isShadow() ? "Shadow" : "Evenkeel");
            if (!deadline.isEmpty()) {
                arguments(asks).put("deadline", deadline);
            }
            if (side.isShadow()) {
                arguments(asks).put("replayDirectory", replays.toString());
            }
            return start(program, asks, evenkeel, null, plane, work);
        } catch (IOException | InterruptedException | RuntimeException e) {
            evenkeel.close();
            throw e;
        }
    }

    /** The shipped configuration of Evenkeel's plugin, with another plugin in its place. */
    private static ObjectNode shipped(String plugin) throws IOException {
        String text = Files.readString(Programs.configuration()).replace(Side.EVENKEEL.plugin(), plugin);
        return (ObjectNode) new YAMLMapper().readTree(text);
    }

    private static ObjectNode arguments(ObjectNode configuration) throws IOException {
        return (ObjectNode) configuration.requiredAt("/profiles/0/pluginConfig/0/args");
    }

    private static Contender start(
            Path program,
            ObjectNode configuration,
            @Nullable EvenkeelServer evenkeel,
            @Nullable AttachedProcess echo,
            ControlPlane plane,
            Path work)
            throws IOException, InterruptedException {
        configuration
                .putObject("clientConnection")
                .put("kubeconfig", plane.kubeconfig().toString())
                .put("qps", CALLS_PER_SECOND)
                .put("burst", CALLS_PER_SECOND);
        configuration.putObject("leaderElection").put("leaderElect", false);
        Path file = work.resolve("scheduler.json");
        JSON.writeValue(file.toFile(), configuration);
        int port = freePort();
        Path certificates = plane.directory();
        ApiServer endpoint = new ApiServer(
                URI.create("https://127.0.0.1:" + port),
                certificates.resolve("ca.crt"),
                Files.readString(certificates.resolve("token")).strip());
        AttachedProcess scheduler = AttachedProcess.start(
                work.resolve("scheduler.log"),
                List.of(
                        program.toString(),
                        "--config=" + file,
                        "--authentication-kubeconfig=" + plane.kubeconfig(),
                        "--authorization-kubeconfig=" + plane.kubeconfig(),
                        "--bind-address=127.0.0.1",
                        "--secure-port=" + port,
                        "--tls-cert-file=" + certificates.resolve("apiserver.crt"),
                        "--tls-private-key-file=" + certificates.resolve("apiserver.key")));
        scheduler.awaitReady("the scheduler", STARTS_WITHIN, () -> isReady(endpoint));
        return new Contender(scheduler, endpoint, evenkeel, echo);
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
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
        return Metrics.parse(endpoint == null ? "" : endpoint.text("/metrics").join());
    }

    /** Its Evenkeel server, or null if there is none. */
    @Nullable
    EvenkeelServer evenkeel() {
        return evenkeel;
    }

    Duration schedulerTime() {
        return scheduler.processorTime();
    }

    /** The processor time of its Evenkeel server or echo. */
    Duration askedTime() {
        if (evenkeel != null) {
            return evenkeel.processorTime();
        }
        return echo == null ? Duration.ZERO : echo.processorTime();
    }

    @Override
    public void close() {
        scheduler.close();
        if (evenkeel != null) {
            evenkeel.close();
        }
        if (echo != null) {
            echo.close();
        }
    }
}
