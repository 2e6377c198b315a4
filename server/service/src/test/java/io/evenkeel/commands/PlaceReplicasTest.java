package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.Run;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs {@code place --replicas} and {@code place --rollout}. */
final class PlaceReplicasTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static Run replicas(String cluster, String pod, int count, String... more) {
        String[] arguments = {"place", "--cluster", cluster, "--pod", pod, "--replicas", Integer.toString(count)};
        return CommandFiles.run(
                Stream.of(arguments, more).flatMap(Arrays::stream).toArray(String[]::new));
    }

    /** kubernetes/kubernetes#109364: 5 pods fit, 6 have no valid state, and 7 have one that no order reaches. */
    @ParameterizedTest
    @ValueSource(ints = {5, 6, 7})
    void hostsTwoAndOne_tellTheOrderFromTheEndState(int count) throws IOException {
        CommandFiles.assertOutput(
                "hosts-2-1-replicas-" + count + ".txt", 0, replicas("hosts-2-1.yaml", "web.yaml", count));
    }

    @Test
    void aFullZone_isNamedAsTheCause() throws IOException {
        CommandFiles.assertOutput("tight-replicas.txt", 0, replicas("tight.yaml", "large.yaml", 6));
    }

    @Test
    void ruleStock_spreadsByFreeResources_andNamesWhatItLeavesOut() {
        Run spread = replicas("three-zones.yaml", "idle.yaml", 2);
        Run stock = replicas("three-zones.yaml", "idle.yaml", 2, "--rule", "stock");
        assertEquals(0, stock.exitCode(), stock::err);
        assertTrue(stock.lines().contains("Not scored: ImageLocality, InterPodAffinity."), stock::out);
        assertNotEquals(nodes(spread), nodes(stock));
    }

    private static List<String> nodes(Run run) {
        int from = run.lines().indexOf("Nodes");
        return run.lines().subList(from, from + 4);
    }

    @Test
    void json_hasTheScheduleAndTheConstraints() {
        Run run = replicas("tight.yaml", "large.yaml", 6, "-o", "json");
        assertEquals(0, run.exitCode(), run::err);
        String json = run.out().replaceAll("\\s+", " ");
        assertTrue(
                json.startsWith("{ \"workload\": \"shop/Deployment/large\", \"replicas\": 6, \"placed\": 3, "), json);
        assertTrue(json.contains("\"schedule\": { \"nodes\": "), json);
        assertTrue(json.contains("\"constraints\": [ { \"index\": 0, "), json);
        assertTrue(json.contains("\"group\": { "), json);
    }

    @Test
    void aPodOfTheCluster_isReplicatedWithoutItsNameAndNode() {
        Run run = CommandFiles.run("place", "--cluster", "three-zones.yaml", "shop/web-6f-0", "--replicas", "2");
        assertEquals(
                "2 of 2 more replicas of shop/Deployment/web find a node, one after another.",
                run.lines().get(0));
    }

    @Test
    void aServer_answersTheSameAsFiles() throws IOException {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("hosts-2-1.yaml"));
            Run run = CommandFiles.run(
                    "place", "--server", ServedFiles.address(server), "--pod", "web.yaml", "--replicas", "7");
            CommandFiles.assertOutput("hosts-2-1-replicas-7.txt", 0, run);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--replicas 0 | evenkeel place: --replicas must be at least 1, was 0",
                "--replicas many | evenkeel place: Invalid value for option '--replicas'",
                "--rule stock | evenkeel place: --rule needs --replicas or --rollout",
                "--replicas 2 --rule best | evenkeel place: Invalid value for option '--rule'",
                "--replicas 2 --rollout | evenkeel place: --replicas and --rollout cannot be combined",
                "--replicas 2 --rules=enterable | evenkeel place: --rules=enterable is only for questions about one pod",
                "--replicas 100001 | evenkeel place: pods must be at most 100000 pods in all",
            })
    void wrongUsage_isOneLine(String options, String start) {
        String[] words = ("place --cluster hosts-2-1.yaml --pod web.yaml " + options).split(" ");
        CommandFiles.rejection(start, CommandFiles.run(words));
    }

    @Test
    void replicasOfADaemonSet_areRejected() {
        CommandFiles.rejection(
                "evenkeel place: --replicas does not apply to a DaemonSet",
                CommandFiles.run("place", "--cluster", "hosts-2-1.yaml", "--pod", "node-a.yaml", "--replicas", "2"));
    }

    /** The Deployment of the cluster has no constraint by revision, so its old pods count too. */
    @Test
    void rollout_showsWhereTheNewPodsEndUp() throws IOException {
        String deployment = Files.readString(CommandFiles.path("web.yaml")).replace("replicas: 4", "replicas: 3");
        Path file = Files.writeString(directory.resolve("deployment.yaml"), deployment);
        Run run = CommandFiles.run(
                "place",
                "--cluster",
                "three-zones.yaml",
                "--cluster",
                file.toString(),
                "--rollout",
                "shop/Deployment/web");
        CommandFiles.assertOutput("rollout.txt", 0, run);
    }

    /** With three hosts that may not differ by more than one pod, a surge of none needs an unavailable pod. */
    @Test
    void rollout_isStuck_ifNewPodsDoNotFitAndNoneMayBeUnavailable() throws IOException {
        String deployment = Files.readString(CommandFiles.path("large.yaml"))
                .replace("replicas: 4", "replicas: 3\n  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}");
        Path file = Files.writeString(directory.resolve("deployment.yaml"), deployment);
        Run run = CommandFiles.run("place", "--cluster", "three-zones.yaml", "--pod", file.toString(), "--rollout");
        CommandFiles.assertOutput("rollout-stuck.txt", 0, run);
        Path unavailable = Files.writeString(
                directory.resolve("unavailable.yaml"), deployment.replace("maxUnavailable: 0", "maxUnavailable: 34%"));
        Run other = CommandFiles.run(
                "place", "--cluster", "three-zones.yaml", "--pod", unavailable.toString(), "--rollout");
        assertEquals(
                "It completes: each of the 3 new pods has a node.",
                other.lines().get(1),
                other::out);
    }

    @Test
    void rollout_firstReducesTheOldestReplicaSet() throws IOException {
        String cluster =
                """
                apiVersion: v1
                kind: List
                items:
                - kind: Node
                  metadata: {name: a1, labels: {topology.kubernetes.io/zone: a, kubernetes.io/hostname: a1}}
                  status: {allocatable: {pods: 9}}
                - kind: Node
                  metadata: {name: b1, labels: {topology.kubernetes.io/zone: b, kubernetes.io/hostname: b1}}
                  status: {allocatable: {pods: 9}}
                """ + replica("web-1", "2026-02-01T00:00:00Z", "a1") + replica("web-9", "2026-01-01T00:00:00Z", "b1");
        String deployment = Files.readString(CommandFiles.path("web.yaml"))
                .replace("replicas: 4", "replicas: 2\n  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}")
                .replace("[{name: main}]", "[{name: main, resources: {requests: {cpu: 1}}}]");
        Run run = CommandFiles.run(
                "place",
                "--cluster",
                Files.writeString(directory.resolve("cluster.yaml"), cluster).toString(),
                "--pod",
                Files.writeString(directory.resolve("deployment.yaml"), deployment)
                        .toString(),
                "--rollout",
                "-o",
                "json");
        String json = run.out().replaceAll("\\s+", "");
        assertTrue(json.contains("\"newPods\":0,\"pendingPods\":1,\"oldPods\":1,"), run::toString);
        assertTrue(json.contains("\"value\":\"a\",\"matchingPodCount\":\"1\""), json);
        assertTrue(json.contains("\"value\":\"b\",\"matchingPodCount\":\"0\""), json);
    }

    private static String replica(String set, String created, String node) {
        return """
                - kind: Pod
                  metadata:
                    name: %1$s-0
                    namespace: shop
                    labels: {app: web, pod-template-hash: "%4$s"}
                    creationTimestamp: "%2$s"
                    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: %1$s, uid: %1$s, controller: true}]
                  spec: {nodeName: %3$s, containers: [{name: main}]}
                """.formatted(set, created, node, set.substring(4));
    }

    @Test
    void rollout_needsADeploymentAndItsPods() {
        String[] words = "place --cluster three-zones.yaml shop/web-6f-0 --rollout".split(" ");
        CommandFiles.rejection(
                "evenkeel place: --rollout needs a Deployment, was Pod/web-6f-0", CommandFiles.run(words));
        String[] served = "place --server 127.0.0.1:1 --pod web.yaml --rollout".split(" ");
        CommandFiles.rejection("evenkeel place: --rollout needs --cluster or --kube", CommandFiles.run(served));
    }
}
