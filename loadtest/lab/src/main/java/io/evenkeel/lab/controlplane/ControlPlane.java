package io.evenkeel.lab.controlplane;

import io.evenkeel.loadtest.local.Checkout;
import io.evenkeel.loadtest.local.ManagedProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;

/**
 * A control plane on loopback, run by {@code loadtest/controlplane/up}, with its state in a directory. It stops when
 * this process ends, even if it is killed. Not thread-safe.
 */
public final class ControlPlane implements AutoCloseable {
    private static final String SCRIPT = "controlplane/up";
    private static final String BUILD = "controlplane/build";

    /** Programs that can be stopped and restarted. */
    public enum Program {
        ETCD("etcd"),
        API_SERVER("kube-apiserver"),
        SCHEDULER("kube-scheduler"),
        CONTROLLER_MANAGER("kube-controller-manager");

        private final String name;

        Program(String name) {
            this.name = name;
        }
    }

    private final Path directory;
    private final ManagedProcess process;
    private final Properties ports = new Properties();

    private ControlPlane(Path directory, ManagedProcess process) {
        this.directory = directory;
        this.process = process;
    }

    /**
     * Starts etcd, the API server and {@code others}, and waits until they are ready. Builds them first if necessary,
     * which takes some minutes.
     *
     * @param directory for the state; existing state is reused
     * @throws IOException if they cannot be built or started; their messages go to standard error
     */
    public static ControlPlane start(Path directory, Program... others) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Checkout.loadtest(SCRIPT).resolve(SCRIPT).toString());
        command.add("--commands");
        for (Program other : others) {
            command.add("--with");
            command.add(other.name);
        }
        command.add(directory.toString());
        ControlPlane plane = new ControlPlane(
                directory.toAbsolutePath(),
                ManagedProcess.startInteractive(new ProcessBuilder(command), System.err::println));
        try {
            plane.expect("ready");
            try (var reader = Files.newBufferedReader(plane.directory.resolve("ports"))) {
                plane.ports.load(reader);
            }
        } catch (IOException e) {
            plane.close();
            throw e;
        }
        return plane;
    }

    /** The directory of the state, the certificates and the logs. */
    public Path directory() {
        return directory;
    }

    /** An administrator's kubeconfig. */
    public Path kubeconfig() {
        return directory.resolve("kubeconfig");
    }

    /** The port of the API server on 127.0.0.1. */
    public int apiPort() {
        return port("api_port");
    }

    /** The URL of the API server. */
    public URI apiServer() {
        return URI.create("https://127.0.0.1:" + apiPort());
    }

    /** The URL of etcd, which accepts JSON as well as gRPC. */
    public URI etcd() {
        return URI.create("http://127.0.0.1:" + port("etcd_port"));
    }

    private int port(String name) {
        return Integer.parseInt(ports.getProperty(name));
    }

    /** An API server client with administrator permissions. */
    public ApiServer client() throws IOException {
        return new ApiServer(
                apiServer(),
                directory.resolve("ca.crt"),
                Files.readString(directory.resolve("token")).strip());
    }

    /** The processor time that a program has used so far; zero if it is not running. */
    public Duration processorTime(Program program) {
        return process.descendants()
                .filter(child -> child.info()
                        .command()
                        .filter(command -> Path.of(command).endsWith(program.name))
                        .isPresent())
                .map(child -> child.info().totalCpuDuration().orElse(Duration.ZERO))
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** The directory of the programs. Builds them if necessary. */
    public static Path programs() throws IOException, InterruptedException {
        return Path.of(ManagedProcess.output(
                        List.of(Checkout.loadtest(BUILD).resolve(BUILD).toString()))
                .strip());
    }

    /** Kills a program with SIGKILL. */
    public void kill(Program program) throws IOException {
        command("kill", program, "killed");
    }

    /** Stops a program with SIGTERM. */
    public void stop(Program program) throws IOException {
        command("stop", program, "stopped");
    }

    /** Restarts a program that was stopped or killed, and waits until it is ready. */
    public void start(Program program) throws IOException {
        command("start", program, "started");
    }

    private void command(String verb, Program program, String done) throws IOException {
        process.write(verb + ' ' + program.name);
        expect(done + ' ' + program.name);
    }

    private void expect(String reply) throws IOException {
        String line = process.await("");
        if (!reply.equals(line)) {
            throw new IOException(
                    SCRIPT + " must reply '" + reply + "', replied " + line + "; its state is in " + directory);
        }
    }

    /**
     * Runs kubectl as an administrator.
     *
     * @return its output
     * @throws IOException if it fails
     */
    public String kubectl(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(programs().resolve("kubectl").toString());
        command.add("--kubeconfig=" + kubeconfig());
        command.addAll(Arrays.asList(arguments));
        return ManagedProcess.output(command);
    }

    /** Compacts etcd's history up to {@code revision}. Watches can no longer start before it. */
    public void compact(long revision) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(etcd().resolve("/v3/kv/compaction"))
                .POST(HttpRequest.BodyPublishers.ofString("{\"revision\": \"" + revision + "\", \"physical\": true}"))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("etcd compaction failed: " + response.body());
        }
    }

    /** Stops everything, and waits until all processes have ended. */
    @Override
    public void close() {
        process.close();
    }
}
