package io.evenkeel.lab.kube;

import io.evenkeel.loadtest.local.Checkout;
import io.evenkeel.loadtest.local.GoProgram;
import io.evenkeel.loadtest.local.ManagedProcess;
import java.io.IOException;
import java.nio.file.Path;

/** The feeder of the Go client, which feeds a server over {@code Sync}. It can be killed at any time. */
final class RestartedFeeder implements AutoCloseable {
    private static final String SCRIPT = "controlplane/up";

    private final ProcessBuilder command;
    private ManagedProcess process;

    /**
     * Builds and starts it.
     *
     * @param target the server
     * @param kubeconfig for the API server
     * @param directory for the program
     */
    RestartedFeeder(RotatedCredentials credentials, String target, Path kubeconfig, Path directory)
            throws IOException, InterruptedException {
        Path program = directory.resolve("feeder");
        Path sources =
                Checkout.loadtest(SCRIPT).resolve("../client/go/feed/example").normalize();
        new GoProgram(sources, program).build();
        command = new ProcessBuilder(
                program.toString(),
                "-kubeconfig",
                kubeconfig.toString(),
                "-target",
                target,
                "-ca",
                credentials.authority().toString(),
                "-cert",
                credentials.client().resolve("tls.crt").toString(),
                "-key",
                credentials.client().resolve("tls.key").toString());
        process = start();
    }

    private ManagedProcess start() throws IOException {
        return ManagedProcess.start(
                new ProcessBuilder(command.command()), line -> System.out.println("feeder: " + line));
    }

    /** Kills it with SIGKILL, and starts it again. */
    void killAndRestart() throws IOException {
        process.kill();
        process = start();
    }

    @Override
    public void close() {
        process.close();
    }
}
