package io.evenkeel.manifest;

import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Counts the pods that are bound to nodes which the input lacks. Such pods count in no domain. */
public final class BoundPods {
    private static final int MAX_NAMED = 3;

    private final Set<String> nodes = new HashSet<>();
    private final Map<String, Integer> podsOfNode = new HashMap<>();

    public void look(Node node) {
        nodes.add(node.getMetadata().getName());
    }

    /**
     * Looks at a pod.
     *
     * @param pod a pod that counts on its node
     */
    public void look(Pod pod) {
        String node = pod.getSpec().getNodeName();
        if (!node.isEmpty()) {
            podsOfNode.merge(node, 1, Integer::sum);
        }
    }

    public int nodes() {
        return nodes.size();
    }

    /** The warning about pods without their nodes; null if there are none. */
    @Nullable
    public String warning() {
        podsOfNode.keySet().removeAll(nodes);
        if (podsOfNode.isEmpty() || nodes.isEmpty()) {
            return null;
        }
        int pods = podsOfNode.values().stream().mapToInt(Integer::intValue).sum();
        String names = podsOfNode.keySet().stream().sorted().limit(MAX_NAMED).collect(Collectors.joining(", "));
        int more = podsOfNode.size() - MAX_NAMED;
        return (pods == 1 ? "1 pod is" : pods + " pods are") + " bound to nodes that the input lacks (" + names
                + (more > 0 ? " and " + more + " more" : "") + "), and not counted";
    }
}
