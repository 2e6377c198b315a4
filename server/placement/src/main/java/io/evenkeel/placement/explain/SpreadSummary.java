package io.evenkeel.placement.explain;

import io.evenkeel.engine.skew.ConstraintCounts;
import io.evenkeel.engine.skew.WorkloadCounts;
import io.evenkeel.engine.skew.WorkloadName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How many workloads violate their constraints, by how many pods, and the worst of them.
 *
 * @param workloads how many workloads ListSpread lists
 * @param hard what hard constraints violate
 * @param soft what soft constraints violate
 * @param worst hard constraints first, and then those with the most pods too many
 */
public record SpreadSummary(int workloads, Violations hard, Violations soft, List<Worst> worst) {
    private static final Comparator<Worst> WORST_FIRST = Comparator.comparing(Worst::hard)
            .thenComparingLong(Worst::excess)
            .reversed()
            .thenComparing(Worst::namespace)
            .thenComparing(Worst::kind)
            .thenComparing(Worst::name)
            .thenComparing(Worst::topologyKey);

    /**
     * Violations of one kind of constraint.
     *
     * @param workloads how many workloads violate one
     * @param excess how many pods are too many: for each workload and topology key the highest number of any
     *     constraint, added up
     */
    public record Violations(int workloads, long excess) {}

    /**
     * What a workload violates.
     *
     * @param excess how many pods are too many: the highest number of any such constraint of the workload
     */
    public record Worst(String namespace, String kind, String name, String topologyKey, boolean hard, long excess) {}

    /** @param most how many of the worst are wanted */
    static SpreadSummary of(SpreadTable table, int most) {
        List<Worst> violations = new ArrayList<>();
        int hard = 0;
        int soft = 0;
        for (SpreadRow row : table.rows()) {
            hard += row.hardViolated ? 1 : 0;
            soft += row.softViolated ? 1 : 0;
            if (row.isViolated()) {
                add(row.counts(), violations);
            }
        }
        violations.sort(WORST_FIRST);
        return new SpreadSummary(
                table.rows().size(),
                new Violations(hard, excess(violations, true)),
                new Violations(soft, excess(violations, false)),
                Collections.unmodifiableList(
                        new ArrayList<>(violations.subList(0, Math.min(most, violations.size())))));
    }

    private static void add(WorkloadCounts workload, List<Worst> violations) {
        for (boolean hard : new boolean[] {true, false}) {
            Map<String, Long> excess = new HashMap<>();
            for (WorkloadCounts.Template template : workload.templates()) {
                for (ConstraintCounts each : template.constraints()) {
                    if (each.isViolated()
                            && Objects.requireNonNull(each.source()).hard() == hard) {
                        excess.merge(each.topologyKey(), each.excess(), Math::max);
                    }
                }
            }
            WorkloadName name = workload.name();
            excess.forEach((key, pods) ->
                    violations.add(new Worst(name.namespace(), name.kind(), name.name(), key, hard, pods)));
        }
    }

    private static long excess(List<Worst> violations, boolean hard) {
        return violations.stream()
                .filter(each -> each.hard == hard)
                .mapToLong(Worst::excess)
                .sum();
    }
}
