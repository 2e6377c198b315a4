package io.evenkeel.placement.explain;

import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.skew.ConstraintCounts;
import io.evenkeel.engine.skew.WorkloadCounts;
import io.evenkeel.v1.ConstraintSpread;
import io.evenkeel.v1.DomainSpread;
import io.evenkeel.v1.TemplateSpread;
import io.evenkeel.v1.WorkloadReference;
import io.evenkeel.v1.WorkloadSpread;

/** Writes the counts of workloads as messages. */
final class SpreadWriter {
    private SpreadWriter() {}

    static WorkloadSpread message(WorkloadCounts counts, boolean hardViolated, boolean softViolated, long skew) {
        WorkloadSpread.Builder workload = WorkloadSpread.newBuilder()
                .setWorkload(WorkloadReference.newBuilder()
                        .setNamespace(counts.name().namespace())
                        .setKind(counts.name().kind())
                        .setName(counts.name().name()))
                .setPodCount(counts.pods())
                .setPendingPodCount(counts.pending())
                .setHardViolated(hardViolated)
                .setSoftViolated(softViolated)
                .setSkew(skew);
        for (WorkloadCounts.Template each : counts.templates()) {
            TemplateSpread.Builder template = workload.addTemplatesBuilder()
                    .setRevision(each.revision())
                    .setPodCount(each.pods())
                    .setPendingPodCount(each.pending())
                    .setDefaultConstraints(each.fromDefaults())
                    .setError(each.error());
            each.constraints().forEach(constraint -> template.addConstraints(message(constraint)));
        }
        return workload.build();
    }

    static ConstraintSpread message(ConstraintCounts counts) {
        ConstraintSpread.Builder spread = ConstraintSpread.newBuilder()
                .setIndex(counts.index())
                .setTopologyKey(counts.topologyKey())
                .setGlobalMinimum(counts.minimum())
                .setMaximum(counts.maximum())
                .setSkew(counts.skew())
                .setViolated(counts.isViolated())
                .setExcessPodCount(counts.excess())
                .setEligibleDomainCount(counts.domains())
                .setOwnPodCount(counts.own())
                .setOtherPodCount(counts.others());
        SpreadConstraint source = counts.source();
        if (source != null) {
            spread.setWhenUnsatisfiable(source.hard() ? "DoNotSchedule" : "ScheduleAnyway")
                    .setMaxSkew(source.maxSkew())
                    .setEffectiveSelector(SelectorText.of(counts.selector()));
        }
        counts.listed()
                .forEach(domain -> spread.addDomains(
                        DomainSpread.newBuilder().setValue(domain.value()).setPodCount(domain.pods())));
        return spread.build();
    }
}
