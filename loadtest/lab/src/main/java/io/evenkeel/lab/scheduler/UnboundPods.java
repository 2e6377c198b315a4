package io.evenkeel.lab.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.controlplane.ApiServer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Describes pods that were not bound, from the API server: whether they exist, and why they are pending. */
final class UnboundPods {
    private UnboundPods() {}

    /** @param keys keys by {@link RacePods#key} */
    static List<String> describe(ApiServer server, Collection<String> keys) {
        return keys.stream().map(key -> key + " " + describe(server, key)).toList();
    }

    private static String describe(ApiServer server, String key) {
        int slash = key.indexOf('/');
        try {
            String path = ApiResource.path(ObjectKind.POD, key.substring(0, slash)) + key.substring(slash);
            return describe(server.call("GET", path, "").join());
        } catch (CompletionException failed) {
            if (ApiServer.isNotFound(failed)) {
                return "is gone";
            }
            throw failed;
        }
    }

    /** @param pod in JSON */
    static String describe(JsonNode pod) {
        if (pod.path("metadata").has("deletionTimestamp")) {
            return "was deleted";
        }
        if (pod.path("spec").has("nodeName")) {
            return "was bound after that";
        }
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")) {
                return "is pending: " + condition.path("message").asText() + " (since "
                        + condition.path("lastTransitionTime").asText() + ")";
            }
        }
        return "is pending, never tried";
    }
}
