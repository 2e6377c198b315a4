package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.local.Checkout;
import io.evenkeel.loadtest.local.ManagedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Builds Go programs from the sources of the checkout. This is quick if nothing has changed. */
final class Programs {
    private static final String MODULE = "scheduler/go.mod";
    private static final String PLUGIN_MODULE = "../client/go/scheduler";
    private static final String BUILD = PLUGIN_MODULE + "/build";
    private static final String PLUGIN_PROGRAM = "kube-scheduler-evenkeel";
    private static final String CONFIGURATION = "kube-scheduler-config.yaml";

    private Programs() {}

    /** The scheduler with Evenkeel's plugin. */
    static Path evenkeel() throws IOException, InterruptedException {
        return built(loadtest().resolve(PLUGIN_MODULE), "./cmd/" + PLUGIN_PROGRAM, PLUGIN_PROGRAM);
    }

    /** The scheduler with the plugins that only a race uses. */
    static Path benchmark() throws IOException, InterruptedException {
        return built(loadtest().resolve("scheduler"), ".", "kube-scheduler-benchmark");
    }

    /** The program that sends Evenkeel the plugin's queries. */
    static Path asking() throws IOException, InterruptedException {
        return built(loadtest().resolve("scheduler"), "./ask", "ask");
    }

    /** The plugin's shipped configuration. */
    static Path configuration() throws IOException {
        return loadtest().resolve(PLUGIN_MODULE).resolve(CONFIGURATION);
    }

    private static Path loadtest() throws IOException {
        return Checkout.loadtest(MODULE);
    }

    private static Path built(Path module, String main, String name) throws IOException, InterruptedException {
        Path program = loadtest().resolve("target/scheduler").resolve(name);
        Files.createDirectories(program.getParent());
        ManagedProcess.output(
                List.of(loadtest().resolve(BUILD).toString(), program.toString(), main, module.toString()));
        return program;
    }
}
