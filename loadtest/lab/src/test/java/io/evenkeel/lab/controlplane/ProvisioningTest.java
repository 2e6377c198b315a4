package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.evenkeel.engine.Await;
import io.evenkeel.loadtest.local.ServerUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Answers ProvisioningRequests of a real API server, with two servers at a time and the documented rights. */
@Tag("kube")
@Timeout(300)
final class ProvisioningTest {
    private static final String CLASS = "check-capacity.evenkeel.io";
    private static final String SHOP = "/api/v1/namespaces/shop/";
    private static final String REQUESTS = "/apis/autoscaling.x-k8s.io/v1/namespaces/shop/provisioningrequests";

    /** As much as one request needs to be answered while another one is booked. */
    private static final String BOOKING = "40s";

    @TempDir
    private Path directory = Path.of("");

    @Test
    void requests_areAnswered_booked_andExpire() throws Exception {
        Queue<String> log = new ConcurrentLinkedQueue<>();
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"))) {
            String kubeconfig = ServiceAccount.kubeconfig(plane, directory).toString();
            plane.kubectl("apply", "-f", "../../server/deploy/provisioning.yaml");
            ApiServer api = plane.client();
            api.call("POST", "/api/v1/namespaces", "{\"metadata\": {\"name\": \"shop\"}}")
                    .join();
            addNode(api, "a");
            addNode(api, "b");
            try (ServerUnderTest first = serve(log, kubeconfig);
                    ServerUnderTest second = serve(log, kubeconfig)) {
                first.awaitReady();
                second.awaitReady();
                Await.until(() -> log.stream()
                        .anyMatch(line -> line.contains("provisioning: the API server has no provisioningrequests")));
                plane.kubectl("apply", "-f", "src/test/resources/provisioning/crd.yaml");
                plane.kubectl("wait", "--for=condition=Established", "crd/provisioningrequests.autoscaling.x-k8s.io");

                request(api, "other", "check-capacity.autoscaling.x-k8s.io", "web", 1, "");
                request(api, "fits", CLASS, "web", 4, "");
                template(api, "web", "");
                JsonNode fits = await(api, "fits", "Provisioned", "True");
                assertEquals(
                        "CapacityIsFound",
                        condition(fits, "Provisioned").path("reason").asText());
                assertEquals(
                        "Accepted", condition(fits, "Accepted").path("reason").asText());
                assertEquals(2, fits.path("status").path("conditions").size(), fits::toString);

                // There is room for four of these six, because four of eight are booked.
                request(api, "waits", CLASS, "web", 6, "");
                JsonNode waits = await(api, "waits", "Provisioned", "False");
                assertEquals(
                        "CapacityIsNotFound",
                        condition(waits, "Provisioned").path("reason").asText());
                assertTrue(message(waits, "Provisioned").contains("4 of 6 pods of web fit: "), waits::toString);
                assertTrue(condition(get(api, "fits"), "BookingExpired").isMissingNode(), "the booking was too short");

                // There is room in zone a, but maxSkew forbids a second pod.
                template(api, "skewed", "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"a\"}, ");
                request(api, "skewed", CLASS, "skewed", 2, "\"parameters\": {\"noRetry\": \"true\"}, ");
                JsonNode skewed = await(api, "skewed", "Failed", "True");
                assertEquals(
                        "CapacityIsNotFound",
                        condition(skewed, "Failed").path("reason").asText());
                assertTrue(
                        message(skewed, "Failed").contains("1 node(s) didn't match pod topology spread constraints"),
                        skewed::toString);
                assertTrue(condition(skewed, "Provisioned").isMissingNode(), skewed::toString);

                JsonNode expired = await(api, "fits", "BookingExpired", "True");
                assertEquals(
                        "CapacityReservationTimeExpired",
                        condition(expired, "BookingExpired").path("reason").asText());
                JsonNode found = await(api, "waits", "Provisioned", "True");
                assertEquals(2, found.path("status").path("conditions").size(), found::toString);

                // The pods of the booked request take six of eight. Once they are there, the booking is over.
                for (int i = 0; i < 6; i++) {
                    consumer(api, i, "waits");
                }
                request(api, "rest", CLASS, "web", 2, "");
                await(api, "rest", "Provisioned", "True");
                assertEquals(
                        "CapacityBookingConsumed",
                        condition(get(api, "waits"), "BookingExpired")
                                .path("reason")
                                .asText());
                assertFalse(get(api, "other").has("status"));
            }
        }
    }

    private static ServerUnderTest serve(Queue<String> log, String kubeconfig) throws IOException {
        return ServerUnderTest.serve(
                List.of(),
                log::add,
                "--kube",
                "--kubeconfig",
                kubeconfig,
                "--provisioning-class",
                CLASS,
                "--provisioning-booking",
                BOOKING);
    }

    /** A node with room for four pods of the templates. */
    private static void addNode(ApiServer api, String zone) {
        api.call("POST", "/api/v1/nodes", """
                        {"metadata": {"name": "%1$s", "labels": {"topology.kubernetes.io/zone": "%1$s"}}}
                        """.formatted(zone)).join();
        api.call("PATCH", "/api/v1/nodes/" + zone, "{\"spec\": {\"taints\": []}}")
                .join();
        api.call("PATCH", "/api/v1/nodes/" + zone + "/status", """
                        {"status": {"capacity": {"cpu": "4", "memory": "1Gi", "pods": "10"},
                         "allocatable": {"cpu": "4", "memory": "1Gi", "pods": "10"}}}
                        """).join();
    }

    private static void template(ApiServer api, String name, String spec) {
        api.call("POST", SHOP + "podtemplates", """
                        {"metadata": {"name": "%1$s"}, "template": {"metadata": {"labels": {"app": "%1$s"}}, "spec": {%2$s
                         "containers": [{"name": "main", "image": "registry.example/app:1",
                          "resources": {"limits": {"cpu": "1"}}}],
                         "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                          "nodeAffinityPolicy": "Ignore", "whenUnsatisfiable": "DoNotSchedule",
                          "labelSelector": {"matchLabels": {"app": "%1$s"}}}]}}}
                        """.formatted(name, spec)).join();
    }

    /** A pod on a node that consumes a request. */
    private static void consumer(ApiServer api, int number, String request) {
        api.call("POST", SHOP + "pods", """
                        {"metadata": {"name": "web-%d", "labels": {"app": "web"},
                          "annotations": {"autoscaling.x-k8s.io/consume-provisioning-request": "%s"}},
                         "spec": {"nodeName": "%s", "serviceAccountName": "default", "automountServiceAccountToken": false,
                          "containers": [{"name": "main", "image": "registry.example/app:1",
                           "resources": {"limits": {"cpu": "1"}}}]}}
                        """.formatted(number, request, number % 2 == 0 ? "a" : "b"))
                .join();
    }

    private static void request(
            ApiServer api, String name, String provisioningClass, String template, int count, String spec) {
        api.call("POST", REQUESTS, """
                        {"apiVersion": "autoscaling.x-k8s.io/v1", "kind": "ProvisioningRequest", "metadata": {"name": "%s"},
                         "spec": {%s"provisioningClassName": "%s",
                          "podSets": [{"podTemplateRef": {"name": "%s"}, "count": %d}]}}
                        """.formatted(name, spec, provisioningClass, template, count))
                .join();
    }

    private static JsonNode get(ApiServer api, String name) {
        return api.call("GET", REQUESTS + "/" + name, "").join();
    }

    private static JsonNode await(ApiServer api, String name, String type, String status) throws InterruptedException {
        JsonNode request = get(api, name);
        while (!condition(request, type).path("status").asText().equals(status)) {
            Thread.sleep(100);
            request = get(api, name);
        }
        return request;
    }

    private static JsonNode condition(JsonNode request, String type) {
        for (JsonNode each : request.path("status").path("conditions")) {
            if (each.path("type").asText().equals(type)) {
                return each;
            }
        }
        return request.path("status").path("absent");
    }

    private static String message(JsonNode request, String type) {
        return condition(request, type).path("message").asText();
    }
}
