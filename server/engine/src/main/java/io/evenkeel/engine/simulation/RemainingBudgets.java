package io.evenkeel.engine.simulation;

import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * How many more evictions each disruption budget allows while nodes are removed one after another. The rules are those
 * of cluster-autoscaler's {@code basicRemainingPdbTracker}: each pod that leaves its node takes one disruption of every
 * budget that matches it. What is left can become negative, because only the pods of later nodes are refused.
 *
 * <pre>
 *   inNamespace   namespace → its budgets
 *   ofClass       label class → the budgets that match its pods; only classes of pods that were asked about
 * </pre>
 */
public final class RemainingBudgets {
    private static final class Remaining {
        private final String name;
        private final PodSelector selector;
        private int left;

        Remaining(String name, PodSelector selector, int left) {
            this.name = name;
            this.selector = selector;
            this.left = left;
        }
    }

    private final Map<String, List<Remaining>> inNamespace = new HashMap<>();
    private final Int2ObjectHashMap<List<Remaining>> ofClass = new Int2ObjectHashMap<>();

    public RemainingBudgets(Collection<DisruptionBudget> budgets) {
        for (DisruptionBudget budget : budgets) {
            PodSelector selector = budget.selector();
            if (selector != null) {
                inNamespace
                        .computeIfAbsent(budget.namespace(), namespace -> new ArrayList<>())
                        .add(new Remaining(budget.name(), selector, budget.allowed()));
            }
        }
    }

    private List<Remaining> matching(NodePod pod, ClusterView cluster) {
        List<Remaining> there = inNamespace.get(pod.namespace());
        if (there == null) {
            return List.of();
        }
        return ofClass.computeIfAbsent(pod.labelClass(), labelClass -> {
            Map<String, String> labels = cluster.labels(labelClass);
            return there.stream().filter(each -> each.selector.matches(labels)).toList();
        });
    }

    /** How many budgets match a pod. The API server evicts no pod that has several. */
    public int countFor(NodePod pod, ClusterView cluster) {
        return matching(pod, cluster).size();
    }

    /** The names of the budgets that match a pod and allow no more evictions, in order. */
    public List<String> usedUp(NodePod pod, ClusterView cluster) {
        return matching(pod, cluster).stream()
                .filter(each -> each.left < 1)
                .map(each -> each.name)
                .sorted()
                .toList();
    }

    /**
     * Takes a disruption of each budget for each of some pods that it matches; returns whether that is more than was
     * left.
     *
     * @param pods pods that were asked about
     */
    boolean take(List<NodePod> pods) {
        boolean exceeded = false;
        for (NodePod pod : pods) {
            for (Remaining each : ofClass.getOrDefault(pod.labelClass(), List.of())) {
                exceeded |= --each.left < 0;
            }
        }
        return exceeded;
    }

    /** Undoes {@link #take}. */
    void giveBack(List<NodePod> pods) {
        for (NodePod pod : pods) {
            ofClass.getOrDefault(pod.labelClass(), List.of()).forEach(each -> each.left++);
        }
    }
}
