package io.evenkeel.placement.explain;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.skew.SurveyedWorkloads;
import io.evenkeel.engine.skew.WorkloadReader;
import io.evenkeel.v1.SpreadOrder;
import io.evenkeel.v1.WorkloadReference;
import io.evenkeel.v1.WorkloadSpread;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How workloads are spread at one revision, as messages.
 *
 * @param versions how current the state of each kind of object is; must not be changed
 * @param namespaces all namespaces that have pods
 * @param worstFirst the workloads in the order WORST
 * @param byName the workloads in the order NAME
 * @param readings what was read of pods; must not be changed
 */
record SpreadTable(
        long revision,
        KindVersions versions,
        Set<String> namespaces,
        List<WorkloadSpread> worstFirst,
        List<WorkloadSpread> byName,
        Map<StoredPodReader.Key, WorkloadReader.Reading> readings) {
    private static final Comparator<WorkloadSpread> BY_NAME = Comparator.comparing(
            WorkloadSpread::getWorkload,
            Comparator.comparing(WorkloadReference::getNamespace)
                    .thenComparing(WorkloadReference::getKind)
                    .thenComparing(WorkloadReference::getName));

    private static final Comparator<WorkloadSpread> WORST_FIRST = Comparator.comparing(WorkloadSpread::getHardViolated)
            .thenComparing(WorkloadSpread::getSoftViolated)
            .thenComparingLong(WorkloadSpread::getSkew)
            .reversed()
            .thenComparing(BY_NAME);

    static SpreadTable of(SurveyedWorkloads surveyed, StoredPodReader reader) {
        List<WorkloadSpread> byName = surveyed.workloads().stream()
                .map(SpreadWriter::message)
                .sorted(BY_NAME)
                .toList();
        return new SpreadTable(
                surveyed.revision(),
                surveyed.versions(),
                surveyed.namespaces(),
                byName.stream().sorted(WORST_FIRST).toList(),
                byName,
                reader.readings());
    }

    static Comparator<WorkloadSpread> comparator(SpreadOrder order) {
        return order == SpreadOrder.SPREAD_ORDER_NAME ? BY_NAME : WORST_FIRST;
    }

    List<WorkloadSpread> in(SpreadOrder order) {
        return order == SpreadOrder.SPREAD_ORDER_NAME ? byName : worstFirst;
    }
}
