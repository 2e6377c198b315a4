package io.evenkeel.engine.skew;

import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.skew.NamespaceWorkloads.Question;
import io.evenkeel.engine.skew.NamespaceWorkloads.Variant;
import io.evenkeel.engine.skew.NamespaceWorkloads.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Counts how the pods of the workloads of one namespace are spread.
 *
 * <pre>
 *   variantPods, variantPending   by the number of the variant
 *   domains                       by position in {@link NamespaceWorkloads}; made when they are first needed
 * </pre>
 */
final class NamespaceSurvey {
    private final SpreadIndex index;
    private final NamespaceWorkloads known;
    private final DomainCounter counter;
    private final int[] variantPods;
    private final int[] variantPending;
    private final @Nullable EligibleDomains[] domains;

    /** @param index gets the domains */
    NamespaceSurvey(SpreadIndex index, NamespaceWorkloads known, DomainCounter counter) {
        this.index = index;
        this.known = known;
        this.counter = counter;
        variantPods = new int[known.variants];
        variantPending = new int[known.variants];
        domains = new EligibleDomains[known.domains.size()];
    }

    /**
     * Counts.
     *
     * @param places the classes of the namespace
     * @param lists the workloads whose domains are listed
     * @param listing gets the number of domains before each list of them is made
     * @param counts gets the counts of each workload
     */
    void count(
            PodsByClass pods,
            IntArrayList places,
            Predicate<WorkloadName> lists,
            IntConsumer listing,
            StopSignal stop,
            List<WorkloadCounts> counts) {
        for (int i = 0; i < places.size(); i++) {
            int place = places.getInt(i);
            Variant variant = Objects.requireNonNull(known.byClass.get(pods.labelClass(place)));
            counter.setOwner(place, variant.of);
            variantPods[variant.number] += pods.pods(place);
            variantPending[variant.number] += pods.pending(place);
        }
        for (Workload workload : known.workloads) {
            stop.check();
            add(workload, lists.test(workload.name) ? listing : null, counts);
        }
    }

    private void add(Workload workload, @Nullable IntConsumer listing, List<WorkloadCounts> counts) {
        int pods = 0;
        int pending = 0;
        for (Variant variant : workload.variants) {
            pods += variantPods[variant.number];
            pending += variantPending[variant.number];
        }
        boolean shouldBeEven = workload.shouldBeEven(pods);
        boolean isListed = shouldBeEven;
        List<WorkloadCounts.Template> templates = new ArrayList<>(workload.variants.size());
        for (Variant variant : workload.variants) {
            if (variantPods[variant.number] > 0) {
                WorkloadCounts.Template template = counts(variant, workload, shouldBeEven, listing);
                isListed |=
                        !template.constraints().isEmpty() || !template.error().isEmpty();
                templates.add(template);
            }
        }
        if (isListed) {
            counts.add(new WorkloadCounts(workload.name, pods, pending, templates));
        }
    }

    private WorkloadCounts.Template counts(
            Variant variant, Workload workload, boolean shouldBeEven, @Nullable IntConsumer listing) {
        List<ConstraintCounts> constraints = new ArrayList<>(variant.questions.size());
        for (Question question : variant.questions) {
            if (question.source() != null || shouldBeEven) {
                constraints.add(counter.count(question, domains(question.domains()), workload, listing));
            }
        }
        return new WorkloadCounts.Template(
                variant.reading.revision(),
                variantPods[variant.number],
                variantPending[variant.number],
                variant.fromDefaults,
                constraints,
                variant.reading.error());
    }

    private EligibleDomains domains(int position) {
        EligibleDomains made = domains[position];
        if (made == null) {
            NamespaceWorkloads.Domains asked = known.domains.get(position);
            made = ConstraintQuestions.domains(index, asked.kind(), asked.key(), asked.eligibility());
            domains[position] = made;
        }
        return made;
    }
}
