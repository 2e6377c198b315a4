package io.evenkeel.engine.explain;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.overlay.OverlaidPods;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds whose pods the constraints of a plan count. Used within one hold of the engine's lock, so that the numbers add
 * up to the counts of the same answer. A constraint that matches too many pods for a short hold is omitted.
 */
final class PodSurvey {
    /** Looking at as many pods takes about a millisecond. */
    private static final int MAX_LOOKS = 1 << 14;

    /** Labels by which the revisions of a workload differ. */
    private static final List<String> REVISIONS =
            List.of("pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash");

    /** Labels that name the Job of a pod whose owner is unknown. */
    private static final List<String> JOBS = List.of("batch.kubernetes.io/job-name", "job-name");

    private final ClusterView cluster;
    private final PodPlan plan;
    private final OverlaidPods pods;
    private final int[] workloadLabels;

    /** @param pods the overlay's pods, which are looked up */
    PodSurvey(ClusterView cluster, PodPlan plan, OverlaidPods pods) {
        this.cluster = cluster;
        this.plan = plan;
        this.pods = pods;
        IncomingPod incoming = plan.pod();
        workloadLabels = incoming.labels().entrySet().stream()
                .filter(label -> !REVISIONS.contains(label.getKey()))
                .flatMap(label -> Stream.of(label.getKey(), label.getValue()))
                .mapToInt(cluster::findText)
                .toArray();
    }

    /** For each constraint by its index, whose pods it counts; null if there are too many. */
    Map<Integer, Explanation.@Nullable Counted> counted() {
        Map<Integer, Explanation.@Nullable Counted> counted = new HashMap<>();
        Stream.of(plan.hard, plan.soft).flatMap(Arrays::stream).forEach(constraint -> {
            SpreadGroup group = constraint.group();
            counted.put(
                    constraint.index(), group == null ? new Explanation.Counted(List.of(), 0) : of(group, constraint));
        });
        return counted;
    }

    private Explanation.@Nullable Counted of(SpreadGroup group, PlannedConstraint constraint) {
        List<String> keys = new ArrayList<>(REVISIONS);
        keys.addAll(JOBS);
        if (constraint.selector() != null) {
            constraint.selector().requirements().stream()
                    .map(LabelRequirement::key)
                    .forEach(keys::add);
        }
        Groups groups = new Groups(keys.stream().mapToInt(cluster::findText).toArray());
        boolean all = cluster.forEachMatched(group, MAX_LOOKS, pod -> {
            int slot = cluster.slotCountedOn(pod);
            if (slot != NodeSlots.NONE && group.domains.eligibility.holds(slot) && !pods.takes(pod)) {
                groups.add(pod);
            }
        });
        return all ? new Explanation.Counted(groups.toList(), pods.addedTo(group, cluster)) : null;
    }

    private final class Groups {
        private final int[] keys;
        private final Map<List<Integer>, int[]> firstAndCount = new LinkedHashMap<>();
        private int lastClass = StringTable.NONE;
        private int[] last = {};

        Groups(int[] keys) {
            this.keys = keys;
        }

        void add(int pod) {
            int labelClass = cluster.labelClass(pod);
            if (labelClass != lastClass) {
                lastClass = labelClass;
                last = firstAndCount.computeIfAbsent(key(labelClass), key -> new int[] {pod, 0});
            }
            last[1]++;
        }

        private List<Integer> key(int labelClass) {
            List<Integer> key = new ArrayList<>(keys.length + 2);
            key.add(cluster.templateId(labelClass));
            key.add(isLikeIncoming(labelClass) ? 1 : 0);
            for (int label : keys) {
                key.add(label == StringTable.NONE ? StringTable.NONE : cluster.labelValue(labelClass, label));
            }
            return key;
        }

        List<Explanation.PodsAlike> toList() {
            return firstAndCount.entrySet().stream()
                    .map(each -> new Explanation.PodsAlike(
                            cluster.pod(each.getValue()[0]), each.getKey().get(1) == 1, each.getValue()[1]))
                    .toList();
        }
    }

    private boolean isLikeIncoming(int labelClass) {
        for (int i = 0; i < workloadLabels.length; i += 2) {
            if (workloadLabels[i] == StringTable.NONE
                    || workloadLabels[i + 1] == StringTable.NONE
                    || cluster.labelValue(labelClass, workloadLabels[i]) != workloadLabels[i + 1]) {
                return false;
            }
        }
        return true;
    }
}
