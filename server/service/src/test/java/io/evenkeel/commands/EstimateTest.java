package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.Run;
import io.evenkeel.kube.ScriptedApiServer;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs {@code estimate}. */
final class EstimateTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** Placed at once, seven pods need no new node; placed one after another, they do. */
    @Test
    void hostsTwoAndOne_showBothNumbers() throws IOException {
        Run run = CommandFiles.run(
                "estimate",
                "--cluster",
                "hosts-2-1.yaml",
                "--group",
                "new-b=node-b.yaml",
                "--pod",
                "web.yaml",
                "--replicas",
                "7");
        CommandFiles.assertOutput("hosts-2-1-estimate.txt", 0, run);
    }

    @Test
    void existingNodesAreUsedFirst_andDaemonSetsTakeCapacity() throws IOException {
        Run run = CommandFiles.run(
                "estimate",
                "--cluster",
                "tight.yaml",
                "--group",
                "new-a=node-a.yaml",
                "--group",
                "new-b=node-b.yaml",
                "--pod",
                "large.yaml",
                "--replicas",
                "6");
        CommandFiles.assertOutput("tight-estimate.txt", 0, run);
    }

    @Test
    void podsStayPending_becauseOfAMaximum_withTheCause() throws IOException {
        Run run = CommandFiles.run(
                "estimate",
                "--cluster",
                "tight.yaml",
                "--group",
                "new-a=node-a.yaml,max=1,price=3",
                "--pod",
                "large.yaml",
                "--replicas",
                "8");
        CommandFiles.assertOutput("tight-estimate-max.txt", 0, run);
    }

    @Test
    void pendingPods_areReadFromTheCluster() throws IOException {
        Run run = CommandFiles.run(
                "estimate", "--cluster", "three-zones.yaml", "--group", "new-a=node-a.yaml", "--pending", "-n", "shop");
        CommandFiles.assertOutput("pending-estimate.txt", 0, run);
        assertEquals(
                run.out(),
                CommandFiles.run(
                                "estimate",
                                "--cluster",
                                "three-zones.yaml",
                                "--group",
                                "new-a=node-a.yaml",
                                "--pending",
                                "-A")
                        .out());
    }

    @Test
    void json_isTheResponse() {
        Run run = CommandFiles.run(
                "estimate",
                "--cluster",
                "tight.yaml",
                "--group",
                "new-a=node-a.yaml",
                "--pod",
                "large.yaml",
                "--replicas",
                "4",
                "-o",
                "json");
        assertEquals(0, run.exitCode(), run::err);
        String json = run.out().replaceAll("\\s+", " ");
        assertTrue(json.contains("\"newNodes\": [{ \"group\": \"new-a\", \"names\": [\"new-a-1\"] }]"), json);
        assertTrue(json.contains("\"optimal\": true"), json);
    }

    /** A shell passes the output of a program in this way. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void theFileOfAGroup_isReadOnce() throws Exception {
        Path pipe = directory.resolve("node-b.yaml");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        CompletableFuture<Path> written = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.write(pipe, Files.readAllBytes(CommandFiles.path("node-b.yaml")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Run run = CommandFiles.run(
                "estimate",
                "--cluster",
                "hosts-2-1.yaml",
                "--group",
                "new-b=" + pipe,
                "--pod",
                "web.yaml",
                "--replicas",
                "7");
        CommandFiles.assertOutput("hosts-2-1-estimate.txt", 0, run);
        assertEquals(pipe, written.join());
    }

    @Test
    void aServer_answersTheSameAsFiles() throws IOException {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("hosts-2-1.yaml"));
            Run run = CommandFiles.run(
                    "estimate",
                    "--server",
                    ServedFiles.address(server),
                    "--group",
                    "new-b=node-b.yaml",
                    "--pod",
                    "web.yaml",
                    "--replicas",
                    "7");
            CommandFiles.assertOutput("hosts-2-1-estimate.txt", 0, run);
        }
    }

    @Test
    void pods_mayHaveMoreConstraintsInAllThanACallMayHave() throws IOException {
        Path pod = Files.writeString(directory.resolve("pod.yaml"), """
                kind: Pod
                apiVersion: v1
                metadata: {name: many, labels: {app: many}}
                spec:
                  topologySpreadConstraints:
                  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway}
                  - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}
                  containers: [{name: main}]
                """);
        Path node = Files.writeString(directory.resolve("node.yaml"), """
                kind: Node
                apiVersion: v1
                metadata: {name: template, labels: {topology.kubernetes.io/zone: c}}
                status: {allocatable: {pods: "20000"}}
                """);
        Run run = CommandFiles.run(
                "estimate",
                "--cluster",
                "tight.yaml",
                "--group",
                "c=" + node,
                "--pod",
                pod.toString(),
                "--replicas",
                "9000");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals(
                "9000 of 9000 pending pods are placed with 1 new node.",
                run.lines().get(0));
    }

    /** Its context is in the namespace shop. */
    @Test
    void anApiServer_isAskedForTheControllersOfTheNamespaceOfThePod() throws IOException {
        String other = Files.readString(CommandFiles.path("web.yaml")).replace("namespace: shop", "namespace: other");
        Path file = Files.writeString(directory.resolve("other.yaml"), other);
        try (ScriptedApiServer api = ScriptedApiServer.start()) {
            ServedFiles.put(api, CommandFiles.path("hosts-2-1.yaml"));
            String kubeconfig = api.kubeconfig(directory, "", "").toString();
            Run run = CommandFiles.run(
                    "estimate",
                    "--kube",
                    "--kubeconfig",
                    kubeconfig,
                    "--group",
                    "b=node-b.yaml",
                    "--pod",
                    file.toString());
            assertEquals(0, run.exitCode(), run::err);
            assertTrue(
                    api.asked().stream().anyMatch(path -> path.contains("/namespaces/other/services")),
                    api.asked()::toString);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--group new-a --pod web.yaml | evenkeel estimate: Invalid value for option '--group' (",
                "--group a=node-a.yaml,max=0 --pod web.yaml | evenkeel estimate: Invalid value for option '--group'",
                "--group a=node-a.yaml,size=3 --pod web.yaml | evenkeel estimate: Invalid value for option '--group'",
                "--group a=absent.yaml --pod web.yaml | evenkeel estimate: absent.yaml: no such file",
                "--group a=web.yaml --pod web.yaml | evenkeel estimate: web.yaml must have one Node",
                "--group a=node-a.yaml --group a=node-b.yaml --pod web.yaml | evenkeel estimate: name must not be",
                "--group a=node-a.yaml --pending --replicas 3 | evenkeel estimate: --replicas needs --pod",
                "--group a=node-a.yaml --pending -n empty | evenkeel estimate: there is no pending pod in the namespaces",
                "--group a=node-a.yaml | evenkeel estimate: Missing required argument",
                "--pod web.yaml | evenkeel estimate: Missing required option: '--group=",
                "--group a=node-a.yaml --pod web.yaml --replicas 0 | evenkeel estimate: --replicas must be at least 1, was 0",
                "--group a=node-a.yaml --pod web.yaml --rows 0 | evenkeel estimate: --rows must be at least 1, was 0",
            })
    void wrongInput_isOneLine(String options, String start) {
        CommandFiles.rejection(start, CommandFiles.run(("estimate --cluster tight.yaml " + options).split(" ")));
    }

    @Test
    void aServer_hasNoListOfPendingPods() {
        String[] words = "estimate --server 127.0.0.1:1 --group a=node-a.yaml --pending".split(" ");
        CommandFiles.rejection("evenkeel estimate: --pending needs --cluster or --kube", CommandFiles.run(words));
    }
}
