package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.ClusterObjects;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The nodes and pods of a scenario's cluster, which operations refer to by name. */
final class KnownObjects {
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final Map<String, Pod> pods = new LinkedHashMap<>();

    void apply(List<ClusterEvent> events) {
        for (ClusterEvent event : events) {
            ClusterObject object = event.getObject();
            boolean deleted = event.getType() == ClusterEvent.Type.TYPE_DELETED;
            if (object.hasNode()) {
                put(nodes, object.getNode().getMetadata().getName(), object.getNode(), deleted);
            } else if (object.hasPod()) {
                put(pods, name(object.getPod()), object.getPod(), deleted);
            }
        }
    }

    Set<String> nodeNames() {
        return nodes.keySet();
    }

    /**
     * The events that an operation consists of. They are not applied yet.
     *
     * @param position of the operation, for the exception
     * @throws CorpusFormatException if it removes an object that the cluster does not have
     */
    List<ClusterEvent> events(Scenario.Operation operation, String position) throws CorpusFormatException {
        if (operation instanceof Scenario.Place place) {
            return place.node().isEmpty() ? List.of() : List.of(ClusterObjects.added(ClusterObjects.of(bound(place))));
        } else if (operation instanceof Scenario.AddNode add) {
            return List.of(ClusterObjects.added(ClusterObjects.of(add.node())));
        } else if (operation instanceof Scenario.RemoveNode remove) {
            List<ClusterEvent> events = new ArrayList<>();
            for (Pod pod : pods.values()) {
                if (pod.getSpec().getNodeName().equals(remove.name())) {
                    events.add(ClusterObjects.deleted(ClusterObjects.of(pod)));
                }
            }
            events.add(ClusterObjects.deleted(ClusterObjects.of(known(nodes, position, "node", remove.name()))));
            return events;
        }
        Scenario.Evict evict = (Scenario.Evict) operation;
        return List.of(ClusterObjects.deleted(ClusterObjects.of(known(pods, position, "pod", evict.pod()))));
    }

    private static Pod bound(Scenario.Place place) {
        Pod.Builder pod = place.pod().toBuilder();
        pod.getSpecBuilder().setNodeName(place.node());
        return pod.build();
    }

    private static String name(Pod pod) {
        return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    }

    private static <T> T known(Map<String, T> objects, String position, String kind, String name)
            throws CorpusFormatException {
        T object = objects.get(name);
        if (object == null) {
            throw new CorpusFormatException(position + ": the cluster has no " + kind + " " + name);
        }
        return object;
    }

    private static <T> void put(Map<String, T> objects, String name, T object, boolean deleted) {
        if (deleted) {
            objects.remove(name);
        } else {
            objects.put(name, object);
        }
    }
}
