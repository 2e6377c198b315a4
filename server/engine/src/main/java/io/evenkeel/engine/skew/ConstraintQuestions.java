package io.evenkeel.engine.skew;

import io.evenkeel.engine.index.AffinityKey;
import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.plan.PlanSources;
import io.evenkeel.engine.store.ClusterStore;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Finds what the constraints of pods of one namespace count: the domains, and the classes that the selector matches.
 */
public final class ConstraintQuestions {
    /** The topology keys by which pods without constraints are judged. */
    static final List<String> USUAL = List.of("topology.kubernetes.io/zone", "kubernetes.io/hostname");

    static final int NO_INDEX = -1;

    private final ClusterStore store;
    private final PodsByClass pods;
    private final ClassLookup lookup;

    /**
     * What is counted for a constraint.
     *
     * @param index see {@link ConstraintCounts}, as the next three
     * @param domains the domains over which pods are counted
     * @param places the classes whose pods are counted
     */
    public record Question(
            int index,
            @Nullable SpreadConstraint source,
            String topologyKey,
            @Nullable PodSelector selector,
            EligibleDomains domains,
            IntArrayList places) {}

    /**
     * @param store a copy that nothing else uses; its index gets new parts
     * @param places the classes of the namespace
     */
    public ConstraintQuestions(ClusterStore store, PodsByClass pods, IntArrayList places) {
        this.store = store;
        this.pods = pods;
        IntArrayList classes = new IntArrayList();
        places.forEachInt(place -> classes.addInt(pods.labelClass(place)));
        lookup = new ClassLookup(store, classes);
    }

    /**
     * The constraints in force for a pod, in order.
     *
     * @param affinity that of the pod
     */
    public List<Question> of(PlanSources sources, AffinityKey affinity) {
        List<Question> questions = new ArrayList<>();
        for (SpreadConstraint source : sources.constraints()) {
            PodSelector selector = sources.selector(source);
            questions.add(new Question(
                    questions.size(),
                    source,
                    source.topologyKey(),
                    selector,
                    domains(
                            sources.domainsKind(source),
                            PlanSources.domainsKey(source),
                            sources.eligibility(source, affinity)),
                    selector == null || selector.isEmpty() ? new IntArrayList() : places(selector)));
        }
        return questions;
    }

    /**
     * The questions for pods without constraints: by zone and by hostname, as if a constraint with default policies
     * selected exactly these pods.
     *
     * @param affinity that of the pods
     * @param places their classes
     */
    public List<Question> usual(AffinityKey affinity, IntArrayList places) {
        return USUAL.stream()
                .map(key -> new Question(
                        NO_INDEX,
                        null,
                        key,
                        null,
                        domains(Topology.Kind.LABEL, key, new Eligibility.Key(List.of(key), affinity, null)),
                        places))
                .toList();
    }

    private IntArrayList places(PodSelector selector) {
        IntArrayList places = new IntArrayList();
        lookup.matchedBy(selector).forEachInt(labelClass -> places.addInt(pods.place(labelClass)));
        return places;
    }

    private EligibleDomains domains(Topology.Kind kind, String key, Eligibility.Key eligibility) {
        return domains(store.index, kind, key, eligibility);
    }

    /** The domains of a topology that have an eligible node, built if necessary. */
    static EligibleDomains domains(SpreadIndex index, Topology.Kind kind, String key, Eligibility.Key eligibility) {
        Topology topology = index.acquireTopology(kind, key);
        index.build(topology, () -> false);
        Eligibility eligible = index.acquireEligibility(eligibility);
        index.build(eligible, () -> false);
        return index.acquireDomains(topology, eligible);
    }
}
