package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Carries out plans of {@code rebalance --evict} in a real control plane. Its scheduler chooses the nodes, and its
 * controllers create pods again and keep the disruption budgets. The test plays the kubelets.
 */
@Tag("kube")
@Timeout(400)
final class RebalanceKubeTest {
    private static final Path PAGE = Path.of("../../server/docs/rebalance-evict.md");
    private static final String PODS = "/api/v1/namespaces/shop/pods";
    private static final String BUDGETS = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets";

    private static final String WEB = "\"app\": \"web\"";

    @Test
    void skewedWorkloads_areEven_afterwards_ifTheirBudgetsAllowIt(@TempDir Path directory) throws Exception {
        try (ControlPlane plane = ControlPlane.start(
                Files.createDirectory(directory.resolve("plane")),
                ControlPlane.Program.SCHEDULER,
                ControlPlane.Program.CONTROLLER_MANAGER)) {
            ApiServer api = plane.client();
            Thread kubelets = new Thread(() -> playKubelets(api), "kubelets");
            kubelets.start();
            try {
                api.call("POST", "/api/v1/namespaces", "{\"metadata\": {\"name\": \"shop\"}}")
                        .join();
                addNode(api, "a1");
                addNode(api, "a2");
                create(api, "Deployment", "deployments", "web", 6);
                create(api, "StatefulSet", "statefulsets", "db", 3);
                await(api, "web", 6);
                await(api, "db", 3);
                assertEquals(Map.of("a", 6), zones(api, "web"));
                for (String node : List.of("b1", "b2", "c1", "c2")) {
                    addNode(api, node);
                }

                // The server's own account cannot evict.
                Path kubeconfig = ServiceAccount.kubeconfig(plane, directory);
                String refused = rebalance(2, directory, kubeconfig, "-n", "shop", "--evict");
                assertTrue(refused.contains("grant create on pods/eviction in namespace shop with a Role"), refused);
                assertEquals(Map.of("a", 6), zones(api, "web"));

                grant(plane, directory);
                budget(api, "\"minAvailable\": 6", WEB, 6);
                // A plan that knows the budget moves nothing.
                String nothing = rebalance(1, directory, kubeconfig, "-n", "shop", "Deployment/web", "--evict");
                assertTrue(nothing.contains("pods may not be evicted"), nothing);
                // Otherwise, the API server insists on it.
                plane.kubectl("patch", "clusterrole", "evenkeel", "--type=json", "-p", """
                        [{"op": "replace", "path": "/rules/2/resources", "value": ["none"]}]""");
                String rejected = rebalance(
                                1, directory, kubeconfig, "-n", "shop", "Deployment/web", "--evict", "--timeout=3s")
                        .replaceAll("\\s+", " ");
                assertTrue(rejected.contains("returned 429: Cannot evict pod as it would violate"), rejected);
                assertTrue(rejected.contains("needs 6 healthy pods and has 6 currently"), rejected);
                assertFalse(rejected.contains("Batch"), rejected);
                assertEquals(Map.of("a", 6), zones(api, "web"));
                plane.kubectl("apply", "-f", "../../server/deploy/rbac.yaml");

                // The budget allows one eviction at a time.
                api.call("DELETE", BUDGETS + "/web", "").join();
                budget(api, "\"maxUnavailable\": 1", WEB, 6);
                String done = rebalance(0, directory, kubeconfig, "-n", "shop", "--evict");
                assertTrue(done.contains("Evicted 6 pods in "), done);
                assertTrue(done.endsWith("\nNo hard constraint exceeds maxSkew.\n"), done);
                assertEquals(Map.of("a", 2, "b", 2, "c", 2), zones(api, "web"));
                assertEquals(Map.of("a", 1, "b", 1, "c", 1), zones(api, "db"));
            } finally {
                kubelets.interrupt();
                kubelets.join();
            }
        }
    }

    /** Two full nodes, and two Deployments that must exchange a pod each: neither can be moved before the other. */
    @Test
    void exchange_isBegunOnlyOnceTheBudgetAllowsBothEvictions(@TempDir Path directory) throws Exception {
        try (ControlPlane plane = ControlPlane.start(
                Files.createDirectory(directory.resolve("plane")),
                ControlPlane.Program.SCHEDULER,
                ControlPlane.Program.CONTROLLER_MANAGER)) {
            ApiServer api = plane.client();
            Thread kubelets = new Thread(() -> playKubelets(api), "kubelets");
            kubelets.start();
            try {
                api.call("POST", "/api/v1/namespaces", "{\"metadata\": {\"name\": \"shop\"}}")
                        .join();
                addNode(api, "a1", 2);
                create(api, "Deployment", "deployments", "web", 2);
                await(api, "web", 2);
                // Without a zone, the node is no domain, so that both pods of api go to the other one.
                label(api, "null");
                addNode(api, "b1", 2);
                create(api, "Deployment", "deployments", "api", 2);
                await(api, "api", 2);
                label(api, "\"a\"");
                Path kubeconfig = ServiceAccount.kubeconfig(plane, directory);
                grant(plane, directory);

                budget(api, "\"maxUnavailable\": 1", "", 4);
                String refused = rebalance(1, directory, kubeconfig, "-n", "shop", "--evict", "--timeout=3s")
                        .replaceAll("\\s+", " ");
                assertTrue(
                        refused.contains(
                                "PodDisruptionBudget shop/web allows 1 eviction now, but 2 of its pods can only"),
                        refused);
                assertEquals(Map.of("a", 2), zones(api, "web"));
                assertEquals(Map.of("b", 2), zones(api, "api"));

                api.call("DELETE", BUDGETS + "/web", "").join();
                budget(api, "\"maxUnavailable\": 2", "", 4);
                String done = rebalance(0, directory, kubeconfig, "-n", "shop", "--evict");
                assertTrue(done.contains("Evicted 2 pods in 1 batch. "), done);
                assertEquals(Map.of("a", 1, "b", 1), zones(api, "web"));
                assertEquals(Map.of("a", 1, "b", 1), zones(api, "api"));
            } finally {
                kubelets.interrupt();
                kubelets.join();
            }
        }
    }

    /** @param zone that of node a1, as JSON */
    private static void label(ApiServer api, String zone) {
        api.call("PATCH", "/api/v1/nodes/a1", """
                        {"metadata": {"labels": {"topology.kubernetes.io/zone": %s}}}
                        """.formatted(zone)).join();
    }

    private static void addNode(ApiServer api, String name) {
        addNode(api, name, 110);
    }

    private static void addNode(ApiServer api, String name, int pods) {
        api.call("POST", "/api/v1/nodes", """
                        {"metadata": {"name": "%s", "labels": {"topology.kubernetes.io/zone": "%s",
                         "kubernetes.io/hostname": "%1$s"}}}
                        """.formatted(name, name.substring(0, 1)))
                .join();
        // The API server ignores the status of new objects.
        api.call("PATCH", "/api/v1/nodes/" + name + "/status", """
                        {"status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "%1$d"},
                         "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "%1$d"}}}
                        """.formatted(pods))
                .join();
    }

    private static void create(ApiServer api, String kind, String plural, String name, int replicas) {
        api.call("POST", "/apis/apps/v1/namespaces/shop/" + plural, """
                        {"kind": "%4$s", "apiVersion": "apps/v1", "metadata": {"name": "%1$s"},
                         "spec": {"replicas": %2$d, "selector": {"matchLabels": {"app": "%1$s"}}, %3$s
                         "template": {"metadata": {"labels": {"app": "%1$s"}}, "spec": {
                          "containers": [{"name": "main", "image": "main", "resources": {"requests": {"cpu": "10m"}}}],
                          "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                           "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "%1$s"}}}]}}}}
                        """.formatted(
                                name, replicas, kind.equals("StatefulSet") ? "\"serviceName\": \"db\"," : "", kind))
                .join();
    }

    /** @param labels those of the pods that it protects, as JSON; empty if these are all */
    private static void budget(ApiServer api, String bound, String labels, int pods) throws InterruptedException {
        api.call("POST", BUDGETS, """
                        {"metadata": {"name": "web"}, "spec": {%s, "selector": {"matchLabels": {%s}}}}
                        """.formatted(bound, labels)).join();
        while (api.call("GET", BUDGETS + "/web", "")
                        .join()
                        .path("status")
                        .path("currentHealthy")
                        .asInt()
                != pods) {
            Thread.sleep(100);
        }
    }

    /** Gives the server's account the Role of the page. */
    private static void grant(ControlPlane plane, Path directory) throws IOException, InterruptedException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf("```yaml\n") + "```yaml\n".length();
        Path role =
                Files.writeString(directory.resolve("role.yaml"), page.substring(begin, page.indexOf("```", begin)));
        plane.kubectl("apply", "--validate=strict", "-f", role.toString());
        plane.kubectl(
                "create",
                "rolebinding",
                "evict",
                "--role=evenkeel-evict",
                "--namespace=shop",
                "--serviceaccount=evenkeel:evenkeel");
    }

    /** Runs the pods that have a node, and ends those that are terminating, until it is interrupted. */
    private static void playKubelets(ApiServer api) {
        try {
            while (true) {
                Thread.sleep(200);
                for (JsonNode pod : api.call("GET", PODS, "").join().path("items")) {
                    String path = PODS + "/" + pod.path("metadata").path("name").asText();
                    if (pod.path("metadata").has("deletionTimestamp")) {
                        api.call("DELETE", path + "?gracePeriodSeconds=0", "")
                                .exceptionally(gone -> pod)
                                .join();
                    } else if (pod.path("spec").has("nodeName")
                            && pod.path("status").path("phase").asText().equals("Pending")) {
                        api.call("PATCH", path + "/status", """
                                        {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True",
                                         "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
                                        """)
                                .exceptionally(gone -> pod)
                                .join();
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(ApiServer api, String app, int count) throws InterruptedException {
        while (zones(api, app).values().stream().mapToInt(Integer::intValue).sum() != count) {
            Thread.sleep(100);
        }
    }

    /** How many ready pods each zone has. */
    private static Map<String, Integer> zones(ApiServer api, String app) {
        Map<String, Integer> zones = new TreeMap<>();
        api.call("GET", PODS + "?labelSelector=app%3D" + app, "")
                .join()
                .path("items")
                .forEach(pod -> {
                    if (!pod.path("metadata").has("deletionTimestamp")
                            && pod.path("status").path("phase").asText().equals("Running")) {
                        zones.merge(pod.path("spec").path("nodeName").asText().substring(0, 1), 1, Integer::sum);
                    }
                });
        return zones;
    }

    /** Runs the command in a separate process. Returns its output, or its standard error if it must fail. */
    private static String rebalance(int exitCode, Path directory, Path kubeconfig, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.evenkeel.commands.Evenkeel",
                "rebalance",
                "--kube",
                "--kubeconfig=" + kubeconfig));
        command.addAll(Arrays.asList(arguments));
        Path errors = directory.resolve("errors");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String failure = Files.readString(errors);
        assertEquals(exitCode, process.waitFor(), () -> output + failure);
        return exitCode == 2 ? failure : output;
    }
}
