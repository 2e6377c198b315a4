package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Scales Deployments down through kube-controller-manager, with and without the deletion costs of the command. */
@Tag("kube")
@Timeout(300)
final class VictimsKubeTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String COST = "controller.kubernetes.io/pod-deletion-cost";
    private static final int REPLICAS = 12;

    /** Zone a has two nodes with two pods each, and zone b has eight with one pod each. */
    private static final List<String> NODES =
            List.of("a0", "a0", "a1", "a1", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7");

    @Test
    void scaleDown_leavesTheSkewThatTheCommandShows_andOtherCostsAreKept(@TempDir Path directory) throws Exception {
        try (ControlPlane plane = ControlPlane.start(
                Files.createDirectory(directory.resolve("plane")), ControlPlane.Program.CONTROLLER_MANAGER)) {
            ApiServer api = plane.client();
            for (String node : NODES.stream().distinct().toList()) {
                api.call("POST", "/api/v1/nodes", """
                                {"metadata": {"name": "%s", "labels": {"topology.kubernetes.io/zone": "%s",
                                 "kubernetes.io/hostname": "%1$s"}}}
                                """.formatted(node, node.substring(0, 1)))
                        .join();
            }
            create(api, "plain");
            create(api, "web");

            scale(api, "plain", 8);
            await(api, "plain", 8);
            // A ReplicaSet deletes pods that share a node first, all of which are in zone a.
            assertEquals(Map.of("b", 8), zones(api, "plain"));

            String kubeconfig = "--kubeconfig=" + plane.kubeconfig();
            String shown = victims(0, directory, "--kube", kubeconfig, "Deployment/web", "--by=4", "--annotate");
            assertTrue(shown.contains("Wrote deletion costs to 4 pods."), shown);
            assertEquals(List.of("-1", "-2", "-3", "-4"), costs(api, "web"));
            // Twice is the same as once.
            victims(0, directory, "--kube", kubeconfig, "Deployment/web", "--by=4", "--annotate");
            assertEquals(List.of("-1", "-2", "-3", "-4"), costs(api, "web"));
            scale(api, "web", 8);
            await(api, "web", 8);
            assertEquals(Map.of("a", 4, "b", 4), zones(api, "web"));
            assertEquals(List.of(), costs(api, "web"));

            // Fewer are deleted than have a cost; the costs that are left are removed, but not those of others.
            String other = pods(api, "web").get(0).path("metadata").path("name").asText();
            annotate(api, other, "\"7\"");
            victims(0, directory, "--kube", kubeconfig, "Deployment/web", "--by=3", "--annotate");
            assertEquals(List.of("-1", "-2", "-3", "7"), costs(api, "web"));
            scale(api, "web", 7);
            await(api, "web", 7);
            assertEquals(List.of("-1", "-2", "7"), costs(api, "web"));
            String cleared = victims(0, directory, "--kube", kubeconfig, "Deployment/web", "--clear");
            assertEquals("Removed the deletion costs of 2 pods.\n", cleared);
            assertEquals(List.of("7"), costs(api, "web"));

            // A cost that would come in between is reported, and nothing is written.
            annotate(api, other, "\"-2\"");
            String refused = victims(2, directory, "--kube", kubeconfig, "Deployment/web", "--by=3", "--annotate");
            assertTrue(refused.contains(other + " has the deletion cost -2"), refused);
            assertEquals(List.of("-2"), costs(api, "web"));

            // A pod that is not ready goes first, with no regard to its cost or the skew.
            String unready =
                    pods(api, "web").get(0).path("metadata").path("name").asText();
            annotate(api, other, "null");
            annotate(api, unready, "\"100\"");
            status(api, unready, "False");
            String first = victims(0, directory, "--kube", kubeconfig, "Deployment/web", "--by=1");
            assertTrue(first.contains("  " + unready + "  "), first);
            assertTrue(first.contains("not ready, cost 100"), first);
            scale(api, "web", 6);
            await(api, "web", 6);
            assertTrue(pods(api, "web").stream()
                    .noneMatch(pod -> pod.path("metadata").path("name").asText().equals(unready)));
        }
    }

    /** Creates a Deployment, and runs its pods on the nodes. */
    private static void create(ApiServer api, String name) throws Exception {
        api.call("POST", "/apis/apps/v1/namespaces/default/deployments", """
                        {"metadata": {"name": "%1$s"}, "spec": {"replicas": %2$d,
                         "selector": {"matchLabels": {"app": "%1$s"}},
                         "template": {"metadata": {"labels": {"app": "%1$s"}}, "spec": {
                          "containers": [{"name": "main", "image": "main"}],
                          "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                           "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "%1$s"}}}]}}}}
                        """.formatted(name, REPLICAS))
                .join();
        await(api, name, REPLICAS);
        List<JsonNode> pods = pods(api, name);
        for (int i = 0; i < REPLICAS; i++) {
            String pod = pods.get(i).path("metadata").path("name").asText();
            api.call("POST", PODS + "/" + pod + "/binding", """
                            {"metadata": {"name": "%s"}, "target": {"kind": "Node", "name": "%s"}}
                            """.formatted(pod, NODES.get(i)))
                    .join();
            status(api, pod, "True");
        }
        Thread.sleep(2_000);
    }

    private static void status(ApiServer api, String pod, String ready) {
        api.call("PATCH", PODS + "/" + pod + "/status", """
                        {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "%s",
                         "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
                        """.formatted(ready)).join();
    }

    private static void annotate(ApiServer api, String pod, String cost) {
        api.call("PATCH", PODS + "/" + pod, "{\"metadata\": {\"annotations\": {\"" + COST + "\": " + cost + "}}}")
                .join();
    }

    private static void scale(ApiServer api, String deployment, int replicas) {
        api.call(
                        "PATCH",
                        "/apis/apps/v1/namespaces/default/deployments/" + deployment,
                        "{\"spec\": {\"replicas\": " + replicas + "}}")
                .join();
    }

    /** The pods of a Deployment that are not being deleted. There is no kubelet, so that none is ever gone. */
    private static List<JsonNode> pods(ApiServer api, String deployment) {
        List<JsonNode> pods = new ArrayList<>();
        api.call("GET", PODS + "?labelSelector=app%3D" + deployment, "")
                .join()
                .path("items")
                .forEach(pod -> {
                    if (!pod.path("metadata").has("deletionTimestamp")) {
                        pods.add(pod);
                    }
                });
        return pods;
    }

    private static void await(ApiServer api, String deployment, int count) throws InterruptedException {
        while (pods(api, deployment).size() != count) {
            Thread.sleep(100);
        }
    }

    private static Map<String, Integer> zones(ApiServer api, String deployment) {
        Map<String, Integer> zones = new HashMap<>();
        pods(api, deployment)
                .forEach(pod ->
                        zones.merge(pod.path("spec").path("nodeName").asText().substring(0, 1), 1, Integer::sum));
        return zones;
    }

    /** The deletion costs, sorted as texts. */
    private static List<String> costs(ApiServer api, String deployment) {
        return pods(api, deployment).stream()
                .map(pod -> pod.path("metadata").path("annotations").path(COST).asText())
                .filter(cost -> !cost.isEmpty())
                .sorted()
                .toList();
    }

    /** Runs the command in a separate process. Returns its output, or its standard error if it must fail. */
    private static String victims(int exitCode, Path directory, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.evenkeel.commands.Evenkeel",
                "victims"));
        command.addAll(Arrays.asList(arguments));
        Path errors = directory.resolve("errors");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(exitCode, process.waitFor(), () -> output);
        return exitCode == 0 ? output : Files.readString(errors);
    }
}
