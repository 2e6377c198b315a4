package io.evenkeel.commands;

import com.google.protobuf.Message;
import io.evenkeel.manifest.PodSearch;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The nodes of a cluster, and the pods that are neither finished nor terminating. Equal specs are kept once. */
final class ClusterContent {
    private final Map<String, Node> nodes = new TreeMap<>();
    private final Map<String, Pod> pods = new TreeMap<>();
    private final Map<PodSpec, PodSpec> specs = new HashMap<>();

    /** Keeps a node or a pod. */
    void look(Message object) {
        if (object instanceof Node node) {
            nodes.put(node.getMetadata().getName(), node);
        } else if (object instanceof Pod pod && PodSearch.counts(pod)) {
            PodSpec spec = specs.computeIfAbsent(pod.getSpec(), same -> same);
            pods.put(
                    pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName(),
                    Pod.newBuilder()
                            .setMetadata(pod.getMetadata())
                            .setSpec(spec)
                            .build());
        }
    }

    /** The nodes, by name. */
    List<Node> nodes() {
        return List.copyOf(nodes.values());
    }

    /** The pods, by namespace and name. */
    List<Pod> pods() {
        return List.copyOf(pods.values());
    }
}
