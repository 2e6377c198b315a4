package io.evenkeel.commands;

import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.VictimStage;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a ReplicaSet looks at before it looks at nodes and ages, when it chooses pods to delete: those that do not run
 * come first, then those that are not ready, then those with the lowest deletion cost ({@code ActivePodsWithRanks} in
 * kube-controller-manager). A deletion cost that Evenkeel has written does not count here, because it follows from the
 * rank. A cost of 0 that somebody else has written comes after none, because Evenkeel does not replace it.
 *
 * @param cost null unless somebody else has written one
 */
record ReplicaState(Phase phase, boolean ready, @Nullable Integer cost) implements Comparable<ReplicaState> {
    /** The annotation with the deletion cost that Evenkeel has written, so that it recognizes its own. */
    static final String WRITTEN = "evenkeel.io/pod-deletion-cost";

    private static final Comparator<ReplicaState> ORDER = Comparator.comparing(ReplicaState::phase)
            .thenComparing(ReplicaState::ready)
            .thenComparingLong(ReplicaState::rankOfCost);

    /** The phases of active pods, in the order in which they are deleted. */
    enum Phase {
        PENDING,
        UNKNOWN,
        RUNNING
    }

    /** The state of a pod. Without a status, the pod is as good as any other. */
    static ReplicaState of(Pod pod) {
        String phase = pod.getStatus().getPhase();
        boolean ready = phase.isEmpty()
                || pod.getStatus().getConditionsList().stream()
                        .filter(condition -> condition.getType().equals("Ready"))
                        .map(PodCondition::getStatus)
                        .anyMatch("True"::equals);
        return new ReplicaState(
                switch (phase) {
                    case "Running", "" -> Phase.RUNNING;
                    case "Unknown" -> Phase.UNKNOWN;
                    default -> Phase.PENDING;
                },
                ready,
                isWritten(pod) || !pod.getMetadata().containsAnnotations(DeletionOrder.COST)
                        ? null
                        : DeletionOrder.cost(pod));
    }

    /** Whether Evenkeel has written the deletion cost that the pod has. */
    static boolean isWritten(Pod pod) {
        String cost = pod.getMetadata().getAnnotationsOrDefault(DeletionOrder.COST, "");
        return !cost.isEmpty() && cost.equals(pod.getMetadata().getAnnotationsOrDefault(WRITTEN, ""));
    }

    /** The pods of a request in the order of their states. */
    static List<VictimStage> stages(Collection<Pod> pods) {
        return pods.stream()
                .collect(Collectors.groupingBy(
                        ReplicaState::of,
                        TreeMap::new,
                        Collectors.mapping(pod -> pod.getMetadata().getName(), Collectors.toList())))
                .values()
                .stream()
                .map(names -> VictimStage.newBuilder().addAllPods(names).build())
                .toList();
    }

    private long rankOfCost() {
        Integer its = cost;
        return its == null ? 0 : its < 0 ? its : its + 1L;
    }

    @Override
    public int compareTo(ReplicaState other) {
        return ORDER.compare(this, other);
    }

    /** Why the pod comes earlier or later than others, whatever the skew is; empty if it does not. */
    @Override
    public String toString() {
        String state =
                phase == Phase.RUNNING ? ready ? "" : "not ready" : phase == Phase.PENDING ? "pending" : "unknown";
        Integer its = cost;
        return its == null ? state : state + (state.isEmpty() ? "" : ", ") + "cost " + its;
    }
}
