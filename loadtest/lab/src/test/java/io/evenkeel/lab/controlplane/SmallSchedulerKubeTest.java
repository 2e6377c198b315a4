package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.evenkeel.example.SmallScheduler;
import io.evenkeel.kube.client.ClusterAccess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the example scheduler with a real API server and no other scheduler. */
@Tag("kube")
@Timeout(300)
final class SmallSchedulerKubeTest {
    private static final int PODS = 60;

    @Test
    void pods_areBound_andSpread_alsoAfterTheApiServerWasAway(@TempDir Path directory) throws Exception {
        try (ControlPlane plane = ControlPlane.start(directory)) {
            ApiServer server = plane.client();
            server.call("POST", "/api/v1/namespaces", "{\"metadata\": {\"name\": \"shop\"}}")
                    .join();
            for (String zone : List.of("a", "b", "c")) {
                for (int i = 0; i < 3; i++) {
                    addNode(server, zone, zone + "-" + i);
                }
            }
            try (SmallScheduler scheduler =
                    new SmallScheduler(ClusterAccess.of(plane.kubeconfig(), "certificate"), "small")) {
                Thread running = new Thread(() -> {
                    try {
                        scheduler.run();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                running.start();
                addPods(server, 0, PODS / 2);
                awaitBound(server, PODS / 2);
                plane.kill(ControlPlane.Program.API_SERVER);
                plane.start(ControlPlane.Program.API_SERVER);
                addPods(server, PODS / 2, PODS);
                Map<String, Integer> ofNodes = awaitBound(server, PODS);
                Map<String, Integer> ofZones = new TreeMap<>();
                ofNodes.forEach((node, count) -> {
                    assertTrue(count <= 7, ofNodes::toString);
                    ofZones.merge(node.substring(0, 1), count, Integer::sum);
                });
                assertEquals(Map.of("a", PODS / 3, "b", PODS / 3, "c", PODS / 3), ofZones);
                running.interrupt();
                running.join();
            }
        }
    }

    private static void addNode(ApiServer server, String zone, String name) {
        server.call("POST", "/api/v1/nodes", """
                        {"metadata": {"name": "%s", "labels": {"topology.kubernetes.io/zone": "%s"}}}
                        """.formatted(name, zone)).join();
        // The API server ignores the status of new objects.
        server.call("PATCH", "/api/v1/nodes/" + name + "/status", """
                        {"status": {"capacity": {"cpu": "2", "memory": "1Gi", "pods": "7"},
                         "allocatable": {"cpu": "2", "memory": "1Gi", "pods": "7"}}}
                        """).join();
    }

    private static void addPods(ApiServer server, int from, int to) {
        for (int i = from; i < to; i++) {
            server.call("POST", "/api/v1/namespaces/shop/pods", """
                            {"metadata": {"name": "web-%d", "labels": {"app": "web"}}, "spec": {"schedulerName": "small",
                             "containers": [{"name": "main", "image": "registry.example/app:1",
                              "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}],
                             "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                              "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}]}}
                            """.formatted(i))
                    .join();
        }
    }

    /** Waits until {@code pods} pods are bound, and counts them by node. */
    private static Map<String, Integer> awaitBound(ApiServer server, int pods) throws InterruptedException {
        while (true) {
            Map<String, Integer> ofNodes = new TreeMap<>();
            JsonNode list =
                    server.call("GET", "/api/v1/namespaces/shop/pods", "").join();
            for (JsonNode pod : list.path("items")) {
                String node = pod.path("spec").path("nodeName").asText("");
                if (!node.isEmpty()) {
                    ofNodes.merge(node, 1, Integer::sum);
                }
            }
            if (ofNodes.values().stream().mapToInt(Integer::intValue).sum() == pods) {
                return ofNodes;
            }
            Thread.sleep(50);
        }
    }
}
