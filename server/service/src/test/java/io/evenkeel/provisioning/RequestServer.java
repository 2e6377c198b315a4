package io.evenkeel.provisioning;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.evenkeel.kube.client.ClusterAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * An API server with ProvisioningRequests, PodTemplates and pods of the namespace {@code shop}, in JSON. It lists one
 * object a page, and fails requests on demand. Thread-safe.
 */
final class RequestServer implements AutoCloseable {
    static final String CLASS = "check-capacity.example";

    private static final String REQUESTS = "/apis/autoscaling.x-k8s.io/v1/provisioningrequests";
    private static final String STATUS = "/apis/autoscaling.x-k8s.io/v1/namespaces/shop/provisioningrequests/";
    private static final String TEMPLATES = "/api/v1/namespaces/shop/podtemplates/";
    private static final String PODS = "/api/v1/namespaces/shop/pods";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final Map<String, ObjectNode> requests = new LinkedHashMap<>();
    private final Map<String, String> templates = new HashMap<>();
    private final List<JsonNode> pods = new ArrayList<>();

    /** The status of the next response to a method and path. */
    private final Map<String, Integer> failures = new HashMap<>();

    RequestServer() throws IOException {
        server.createContext("/", this::handle);
        server.start();
    }

    ClusterAccess access(Path directory) throws IOException {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), """
            apiVersion: v1
            kind: Config
            current-context: c
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
            users: [{name: u}]
            contexts: [{name: c, context: {cluster: c, user: u}}]
            """.formatted(
                        server.getAddress().getPort()));
        return ClusterAccess.of(kubeconfig, null);
    }

    /** Adds a request for pods of the template of its name. */
    synchronized ProvisioningRequest request(String name, Instant created, int count) throws JsonProcessingException {
        ObjectNode request = (ObjectNode) MAPPER.readTree("""
            {"metadata": {"namespace": "shop", "name": "%1$s", "creationTimestamp": "%2$s"},
             "spec": {"provisioningClassName": "%3$s",
              "podSets": [{"podTemplateRef": {"name": "%1$s"}, "count": %4$d}]}}
            """.formatted(name, created, CLASS, count));
        requests.put(name, request);
        return new ProvisioningRequest(request);
    }

    synchronized void put(ProvisioningRequest request) {
        requests.put(request.name(), request.object());
    }

    /** Adds a template of pods that ask for one cpu. */
    synchronized void template(String name) {
        templates.put(name, """
            {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"namespace": "shop", "name": "%s"},
             "template": {"metadata": {}, "spec": {"containers": [
              {"name": "main", "image": "app", "resources": {"requests": {"cpu": "1"}}}]}}}
            """.formatted(name));
    }

    /** Adds a pod that consumes a request. */
    synchronized void consumer(String request) throws JsonProcessingException {
        pods.add(MAPPER.readTree("""
            {"metadata": {"annotations": {"autoscaling.x-k8s.io/consume-provisioning-request": "%s"}}}
            """.formatted(request)));
    }

    /** Fails the next request for the template. */
    synchronized void failTemplate(String name, int status) {
        failures.put("GET " + TEMPLATES + name, status);
    }

    /** Fails the next write of the status of the request. */
    synchronized void failWrite(String request, int status) {
        failures.put("PUT " + STATUS + request + "/status", status);
    }

    /** The request, once it has a condition of the type. */
    synchronized ProvisioningRequest await(String name, String type) throws InterruptedException {
        while (true) {
            ObjectNode request = Objects.requireNonNull(requests.get(name));
            for (JsonNode each : request.path("status").path("conditions")) {
                if (each.path("type").asText().equals(type)) {
                    return new ProvisioningRequest(request);
                }
            }
            wait();
        }
    }

    private synchronized void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Integer failure = failures.remove(exchange.getRequestMethod() + " " + path);
        if (failure != null) {
            answer(exchange, failure, "{\"message\": \"as demanded\"}");
        } else if (exchange.getRequestMethod().equals("PUT")) {
            ObjectNode changed = (ObjectNode) MAPPER.readTree(exchange.getRequestBody());
            requests.put(changed.path("metadata").path("name").asText(), changed);
            notifyAll();
            answer(exchange, 200, "{}");
        } else if (path.equals(REQUESTS)) {
            answer(exchange, 200, page(exchange, List.copyOf(requests.values())));
        } else if (path.equals(PODS)) {
            answer(exchange, 200, page(exchange, pods));
        } else {
            String template = path.startsWith(TEMPLATES) ? templates.get(path.substring(TEMPLATES.length())) : null;
            answer(exchange, template == null ? 404 : 200, template == null ? "{}" : template);
        }
    }

    /** One object, from the position that the token says. */
    private static String page(HttpExchange exchange, List<? extends JsonNode> objects) {
        String token = exchange.getRequestURI().getQuery().replaceFirst(".*continue=|.*watch=.*", "");
        int from = token.isEmpty() ? 0 : Integer.parseInt(token);
        int to = Math.min(objects.size(), from + 1);
        ObjectNode list = MAPPER.createObjectNode();
        list.putArray("items").addAll(objects.subList(from, to));
        list.putObject("metadata").put("continue", to < objects.size() ? String.valueOf(to) : "");
        return list.toString();
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
