package io.evenkeel.loadtest.conformance;

import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.SessionOperation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The names of the nodes of a scenario's cluster. */
final class KnownNodes {
    private Set<String> names = new TreeSet<>();
    private final Deque<Set<String>> atForks = new ArrayDeque<>();

    void apply(List<ClusterEvent> events) {
        for (ClusterEvent event : events) {
            if (event.getObject().hasNode()) {
                String name = event.getObject().getNode().getMetadata().getName();
                if (event.getType() == ClusterEvent.Type.TYPE_DELETED) {
                    names.remove(name);
                } else {
                    names.add(name);
                }
            }
        }
    }

    void apply(SessionOperation operation) {
        switch (operation.getOperationCase()) {
            case ADD_NODES ->
                names.add(operation.getAddNodes().getTemplate().getMetadata().getName());
            case REMOVE_NODE -> names.remove(operation.getRemoveNode().getNode());
            case FORK -> atForks.push(new TreeSet<>(names));
            case REVERT -> names = atForks.pop();
            case COMMIT -> atForks.pop();
            case CHANGE_NODE, PLACE_POD, MOVE_POD, REMOVE_PODS, OPERATION_NOT_SET -> {}
        }
    }

    Set<String> names() {
        return names;
    }
}
