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

/**
 * Finds what the constraints of pods of one namespace count: the domains, and the classes that the selector matches.
 */
public final class ConstraintQuestions {
    /** The topology keys by which pods without constraints are judged. */
    private static final List<String> USUAL = List.of("topology.kubernetes.io/zone", "kubernetes.io/hostname");

    private static final int NO_INDEX = -1;

    private final ClusterStore store;
    private final ClassLookup lookup;

    /**
     * @param store a copy that nothing else uses; its index gets new parts
     * @param places the classes of the namespace
     */
    public ConstraintQuestions(ClusterStore store, PodsByClass pods, IntArrayList places) {
        this.store = store;
        lookup = new ClassLookup(store, pods, places);
    }

    /**
     * The constraints in force for a pod, in order.
     *
     * @param affinity that of the pod
     */
    public List<DomainCounter.Question> of(PlanSources sources, AffinityKey affinity) {
        List<DomainCounter.Question> questions = new ArrayList<>();
        for (SpreadConstraint source : sources.constraints()) {
            PodSelector selector = sources.selector(source);
            questions.add(new DomainCounter.Question(
                    questions.size(),
                    source,
                    source.topologyKey(),
                    selector,
                    domains(
                            sources.domainsKind(source),
                            PlanSources.domainsKey(source),
                            sources.eligibility(source, affinity)),
                    selector == null || selector.isEmpty() ? new IntArrayList() : lookup.matchedBy(selector)));
        }
        return questions;
    }

    /**
     * By what pods without constraints are judged: by zone and hostname, as a constraint with default policies would
     * that selects exactly these pods.
     *
     * @param affinity that of the pods
     * @param places their classes
     */
    public List<DomainCounter.Question> usual(AffinityKey affinity, IntArrayList places) {
        return USUAL.stream()
                .map(key -> new DomainCounter.Question(
                        NO_INDEX,
                        null,
                        key,
                        null,
                        domains(Topology.Kind.LABEL, key, new Eligibility.Key(List.of(key), affinity, null)),
                        places))
                .toList();
    }

    private EligibleDomains domains(Topology.Kind kind, String key, Eligibility.Key eligibility) {
        SpreadIndex index = store.index;
        Topology topology = index.acquireTopology(kind, key);
        index.build(topology, () -> false);
        Eligibility eligible = index.acquireEligibility(eligibility);
        index.build(eligible, () -> false);
        return index.acquireDomains(topology, eligible);
    }
}
