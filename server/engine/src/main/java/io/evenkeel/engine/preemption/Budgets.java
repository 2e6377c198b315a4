package io.evenkeel.engine.preemption;

import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides which of the pods that may be removed from a node would exceed a disruption budget. The rules are those of
 * kube-scheduler's {@code filterPodsWithPDBViolation}: each pod takes one disruption of every budget that matches it,
 * and violates those that have none left. Each node is judged by itself.
 *
 * <pre>
 *   inNamespace   namespace → its budgets
 * </pre>
 */
final class Budgets {
    static final class Budget {
        private final PodSelector selector;
        private final Set<String> disrupted;
        private final int allowed;
        private int left;

        /** The node for which {@link #left} is right. */
        private int node;

        Budget(PodSelector selector, DisruptionBudget source) {
            this.selector = selector;
            disrupted = source.disrupted();
            allowed = source.allowed();
        }
    }

    private static final Budget[] NONE = {};

    private final ClusterView cluster;
    private final Map<String, List<Budget>> inNamespace = new HashMap<>();
    private int node;

    Budgets(Collection<DisruptionBudget> budgets, ClusterView cluster) {
        this.cluster = cluster;
        for (DisruptionBudget budget : budgets) {
            PodSelector selector = budget.selector();
            // Unlike for evictions, an empty selector matches no pod.
            if (selector != null && !selector.isEmpty()) {
                inNamespace
                        .computeIfAbsent(budget.namespace(), namespace -> new ArrayList<>())
                        .add(new Budget(selector, budget));
            }
        }
    }

    /** Begins with the pods of the next node. */
    void nextNode() {
        node++;
    }

    /**
     * Takes the disruptions of a pod; returns whether a budget has too few.
     *
     * @param matching the budgets that match it
     */
    boolean violates(int pod, Budget[] matching) {
        boolean violates = false;
        for (Budget budget : matching) {
            if (budget.node != node) {
                budget.node = node;
                budget.left = budget.allowed;
            }
            if (budget.disrupted.isEmpty() || !budget.disrupted.contains(cluster.name(pod))) {
                violates |= --budget.left < 0;
            }
        }
        return violates;
    }

    /** The budgets that match the pods of a label class, given one of them. */
    Budget[] matching(int pod) {
        List<Budget> there = inNamespace.getOrDefault(cluster.namespace(pod), List.of());
        Map<String, String> labels = there.isEmpty() ? Map.of() : cluster.labels(cluster.labelClass(pod));
        return labels.isEmpty()
                ? NONE
                : there.stream()
                        .filter(budget -> budget.selector.matches(labels))
                        .toArray(Budget[]::new);
    }
}
