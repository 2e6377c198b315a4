package io.evenkeel.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Starts a server that looks for an API server where there is none, lets it warm up, and ends. The JVM loads what most
 * servers load, and keeps it in an archive of classes where it is told to.
 */
final class Rehearsal {
    private static final int SECONDS = 4;

    /** Nobody listens on port 1. */
    private static final String KUBECONFIG = """
            apiVersion: v1
            kind: Config
            current-context: none
            contexts:
            - {name: none, context: {cluster: none, user: none}}
            clusters:
            - {name: none, cluster: {server: "https://127.0.0.1:1"}}
            users:
            - {name: none, user: {token: none}}
            """;

    private Rehearsal() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path kubeconfig = Files.createTempFile("evenkeel", ".kubeconfig");
        kubeconfig.toFile().deleteOnExit();
        Files.writeString(kubeconfig, KUBECONFIG);
        Thread server = new Thread(
                () -> Evenkeel.commandLine()
                        .execute(
                                "serve",
                                "--listen",
                                "127.0.0.1:0",
                                "--metrics",
                                "127.0.0.1:0",
                                "--kube",
                                "--kubeconfig",
                                kubeconfig.toString(),
                                "--warm-up",
                                SECONDS + "s"),
                "evenkeel-rehearsal");
        server.setDaemon(true);
        server.start();
        TimeUnit.SECONDS.sleep(SECONDS);
        System.exit(server.isAlive() ? ExitCodes.OK : ExitCodes.NOT_DONE);
    }
}
