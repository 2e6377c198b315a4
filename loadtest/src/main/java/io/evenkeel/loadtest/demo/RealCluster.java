package io.evenkeel.loadtest.demo;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.Message;
import io.evenkeel.client.ClusterObjects;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * A real cluster, as kubectl printed it, with kube-scheduler's messages.
 *
 * @param pending the unbound pods, by name
 * @param said kube-scheduler's message about each of them, by namespace/name
 */
record RealCluster(List<ClusterObject> objects, List<Pod> pending, JsonObject said) {
    private static final String FOLDER = "/real/";

    static RealCluster read() throws IOException {
        List<ClusterObject> objects = new ArrayList<>();
        List<Pod> pending = new ArrayList<>();
        try (ObjectReader reader = ObjectReader.of(resource("cluster.json.gz"), "the bundled cluster")) {
            for (Message message = reader.next(); message != null; message = reader.next()) {
                objects.add(object(message));
                if (message instanceof Pod pod && pod.getSpec().getNodeName().isEmpty()) {
                    pending.add(pod);
                }
            }
        }
        pending.sort(Comparator.comparing((Pod pod) -> pod.getMetadata().getNamespace())
                .thenComparing(pod -> pod.getMetadata().getName()));
        try (InputStreamReader text = new InputStreamReader(resource("pending.json"), StandardCharsets.UTF_8)) {
            return new RealCluster(
                    objects, pending, JsonParser.parseReader(text).getAsJsonObject());
        }
    }

    /** The first sentence of kube-scheduler's message about a pod. The rest is about preemption. */
    String firstSentence(String pod) {
        String all = said.get(pod).getAsString();
        int end = all.indexOf(". ");
        return end < 0 ? all : all.substring(0, end + 1);
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(
                RealCluster.class.getResourceAsStream(FOLDER + name), () -> name + " is not in the jar");
    }

    private static ClusterObject object(Message message) {
        if (message instanceof Node node) {
            return ClusterObjects.of(node);
        } else if (message instanceof Pod pod) {
            return ClusterObjects.of(pod);
        } else if (message instanceof Service service) {
            return ClusterObjects.of(service);
        } else if (message instanceof ReplicationController controller) {
            return ClusterObjects.of(controller);
        } else if (message instanceof ReplicaSet replicaSet) {
            return ClusterObjects.of(replicaSet);
        } else if (message instanceof StatefulSet statefulSet) {
            return ClusterObjects.of(statefulSet);
        }
        throw new IllegalStateException("the reader returned a " + message.getClass());
    }
}
