package io.evenkeel.commands;

import io.evenkeel.cli.ExitCodes;
import java.io.IOException;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Starts a server with an unreachable API server, lets it warm up until it loads no more classes, and exits. The JVM
 * stores these classes in an archive if its options say so.
 */
final class ArchiveRun {
    private static final int MAX_SECONDS = 60;
    private static final int QUIET_SECONDS = 3;

    /** Nothing listens on port 1. */
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

    private ArchiveRun() {}

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
                                MAX_SECONDS + "s"),
                "evenkeel-rehearsal");
        server.setDaemon(true);
        server.start();
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        long before = -1;
        for (int waited = 0; waited < MAX_SECONDS && classes.getTotalLoadedClassCount() != before; ) {
            before = classes.getTotalLoadedClassCount();
            TimeUnit.SECONDS.sleep(QUIET_SECONDS);
            waited += QUIET_SECONDS;
        }
        System.exit(server.isAlive() ? ExitCodes.OK : ExitCodes.NOT_DONE);
    }
}
