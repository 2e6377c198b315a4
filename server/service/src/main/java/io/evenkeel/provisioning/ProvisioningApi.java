package io.evenkeel.provisioning;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.evenkeel.kube.SharedClient;
import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.BodyReader;
import io.evenkeel.manifest.ObjectFormatException;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ScheduledPods;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The ProvisioningRequests of a class, and the pods that they ask for, in an API server. Thread-safe. */
final class ProvisioningApi {
    private static final String VERSION = "/apis/autoscaling.x-k8s.io/v1/";
    private static final String RESOURCE = "provisioningrequests";
    private static final String JSON = "application/json";
    private static final String METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    private static final String CONSUMED = "autoscaling.x-k8s.io/consume-provisioning-request";
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int PAGE_SIZE = 500;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final SharedClient client;
    private final String provisioningClass;

    ProvisioningApi(SharedClient client, String provisioningClass) {
        this.client = client;
        this.provisioningClass = provisioningClass;
    }

    /** The requests of the class, in the order in which they are judged. */
    List<ProvisioningRequest> list() throws IOException, InterruptedException {
        List<ProvisioningRequest> requests = new ArrayList<>();
        try {
            forEach(VERSION + RESOURCE + "?", JSON, item -> {
                ProvisioningRequest request = new ProvisioningRequest((ObjectNode) item);
                if (request.provisioningClass().equals(provisioningClass)) {
                    requests.add(request);
                }
            });
        } catch (ApiException e) {
            throw isMissing(e) ? new IOException("the API server has no " + RESOURCE + "; install their CRD", e) : e;
        }
        requests.sort(ProvisioningRequest.ORDER);
        return requests;
    }

    /** Lists objects in pages, because a response is limited. Fails if a page has expired. */
    private void forEach(String query, String accept, Consumer<JsonNode> object)
            throws IOException, InterruptedException {
        String continuation = "";
        do {
            String page = query + "limit=" + PAGE_SIZE + "&continue="
                    + URLEncoder.encode(continuation, StandardCharsets.UTF_8);
            JsonNode list = MAPPER.readTree(client.get(page, accept));
            list.path("items").forEach(object);
            continuation = list.path("metadata").path("continue").asText();
        } while (!continuation.isEmpty());
    }

    /**
     * Calls {@code changed} once there is a request and after each change of one, and at least once a minute. Returns
     * when the watch ends, which is after some minutes at the latest.
     */
    void watch(Runnable changed) throws IOException, InterruptedException {
        BodyReader events = new BodyReader() {
            @Override
            public void read(byte[] bytes, int from, int to) {
                changed.run();
            }

            @Override
            public void end() {}
        };
        try {
            // Without a version, it begins with an event for each request.
            client.stream(
                    VERSION + RESOURCE + "?watch=1&allowWatchBookmarks=true&timeoutSeconds=300",
                    JSON,
                    () -> {},
                    events);
        } catch (SocketTimeoutException quiet) {
            // Nothing has changed, or the connection is dead. The next watch shows which.
        }
    }

    /**
     * Writes the status of a request, and returns true. Returns false if the request was changed or deleted since it
     * was read. Then a change was or will be reported.
     */
    boolean writeStatus(ProvisioningRequest request) throws IOException, InterruptedException {
        String path = VERSION + "namespaces/" + request.namespace() + "/" + RESOURCE + "/" + request.name();
        try {
            byte[] unused = client.put(path + "/status", JSON, MAPPER.writeValueAsString(request.object()));
            return true;
        } catch (ApiException e) {
            if (e.status() != CONFLICT && !isMissing(e)) {
                throw e;
            }
            return false;
        }
    }

    /**
     * The pods of a request, from its PodTemplates, for which the API server has filled in defaults.
     *
     * @throws IOException also if a template does not exist ({@link #isMissing}) or is invalid
     *     ({@link ObjectFormatException})
     */
    List<ScheduledPods> pods(ProvisioningRequest request) throws IOException, InterruptedException {
        List<ScheduledPods> pods = new ArrayList<>();
        for (JsonNode set : request.podSets()) {
            String name = set.path("podTemplateRef").path("name").asText();
            String path = "/api/v1/namespaces/" + request.namespace() + "/podtemplates/" + name;
            List<PodManifest> template = new ArrayList<>();
            PodManifest.forEachOfServer(new ByteArrayInputStream(client.get(path, JSON)), path, template::add);
            Pod.Builder pod = template.get(0).pod().toBuilder();
            pod.getMetadataBuilder()
                    .setNamespace(request.namespace())
                    .setName(name)
                    .clearGenerateName()
                    .clearUid();
            pods.add(ScheduledPods.newBuilder()
                    .setPod(pod)
                    .setCount(set.path("count").asInt())
                    .build());
        }
        return pods;
    }

    /** How many pods of a namespace that are on nodes consume each request, by its name. */
    Map<String, Integer> consumers(String namespace) throws IOException, InterruptedException {
        Map<String, Integer> counts = new HashMap<>();
        forEach("/api/v1/namespaces/" + namespace + "/pods?fieldSelector=spec.nodeName%21%3D&", METADATA, pod -> {
            JsonNode annotations = pod.path("metadata").path("annotations");
            counts.merge(annotations.path(CONSUMED).asText(), 1, Integer::sum);
        });
        return counts;
    }

    /** Whether an object did not exist. */
    static boolean isMissing(IOException problem) {
        return problem instanceof ApiException api && api.status() == NOT_FOUND;
    }
}
