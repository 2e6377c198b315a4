package io.evenkeel.loadtest.conformance;

import io.evenkeel.v1.ClusterEvent;
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

    void apply(Scenario.Operation operation) {
        if (operation instanceof Scenario.AddNode add) {
            names.add(add.node().getMetadata().getName());
        } else if (operation instanceof Scenario.RemoveNode remove) {
            names.remove(remove.name());
        } else if (operation instanceof Scenario.Fork) {
            atForks.push(new TreeSet<>(names));
        } else if (operation instanceof Scenario.Revert) {
            names = atForks.pop();
        } else if (operation instanceof Scenario.Commit) {
            atForks.pop();
        }
    }

    Set<String> names() {
        return names;
    }
}
