package io.evenkeel.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compiles incoming pods to plans, acquiring what they count by, and lets go of it again. Used under the engine's write lock. */
final class PlanCompiler {
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final PlannedConstraint[] NO_CONSTRAINTS = {};

    private final ClusterStore store;

    PlanCompiler(ClusterStore store) {
        this.store = store;
    }

    PodPlan compile(IncomingPod pod, DefaultConstraints defaults) {
        boolean fromDefaults =
                pod.constraints().isEmpty() && !defaults.constraints().isEmpty();
        List<SpreadConstraint> sources = pod.constraints();
        LabelSelector ownersSelector = null;
        if (fromDefaults) {
            ownersSelector = store.owners.defaultSelector(pod);
            sources = ownersSelector.isEmpty() ? List.of() : defaults.constraints();
        }
        boolean system = fromDefaults && defaults.system();
        SpreadIndex index = store.index;
        PlannedConstraint[] soft = constraints(pod, sources, false, ownersSelector, system);
        return new PodPlan(
                store,
                pod,
                defaults,
                constraints(pod, sources, true, ownersSelector, system),
                soft,
                joint(soft),
                fromDefaults,
                index.acquireSchedulable(pod.tolerations()),
                index.acquireTolerated(pod.tolerations()),
                index.acquireAffinity(affinityOf(pod)),
                fromDefaults ? store.owners.version(pod.namespace()) : -1);
    }

    void release(PodPlan plan) {
        plan.drop();
        SpreadIndex index = store.index;
        if (plan.joint != null) {
            index.release(plan.joint);
        }
        Stream.of(plan.hard, plan.soft).flatMap(Arrays::stream).forEach(constraint -> {
            if (constraint.group() != null) {
                index.release(constraint.group());
            }
            index.release(constraint.domains());
            index.release(constraint.label());
        });
        index.release(plan.schedulable);
        index.release(plan.tolerated);
        if (plan.affine != null) {
            index.release(plan.affine);
        }
        Namespace namespace = store.namespaces.find(plan.pod().namespace());
        if (namespace != null) {
            store.namespaces.dropIfEmpty(namespace);
        }
    }

    private PlannedConstraint[] constraints(
            IncomingPod pod,
            List<SpreadConstraint> sources,
            boolean hard,
            @Nullable LabelSelector ownersSelector,
            boolean system) {
        List<String> keys = sources.stream()
                .filter(source -> source.hard() == hard)
                .map(SpreadConstraint::topologyKey)
                .distinct()
                .sorted()
                .toList();
        if (keys.isEmpty()) {
            return NO_CONSTRAINTS;
        }
        List<PlannedConstraint> planned = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            SpreadConstraint source = sources.get(i);
            if (source.hard() == hard) {
                LabelSelector selector =
                        ownersSelector == null ? effectiveSelector(source, pod.labels()) : ownersSelector;
                planned.add(plan(i, source, pod, keys, selector, system));
            }
        }
        return planned.toArray(PlannedConstraint[]::new);
    }

    private PlannedConstraint plan(
            int i,
            SpreadConstraint source,
            IncomingPod pod,
            List<String> keys,
            @Nullable LabelSelector selector,
            boolean system) {
        boolean countsNode = !source.hard() && source.topologyKey().equals(HOSTNAME);
        Topology.Kind kind =
                countsNode ? Topology.Kind.NODE : system ? Topology.Kind.LABEL_OR_EMPTY : Topology.Kind.LABEL;
        Eligibility.Key eligibility = countsNode
                ? Eligibility.Key.EVERY_NODE
                : new Eligibility.Key(
                        system ? List.of() : keys,
                        source.honorAffinity() ? affinityOf(pod) : AffinityKey.NONE,
                        source.honorTaints() ? pod.tolerations() : null);
        SpreadIndex index = store.index;
        Topology label = index.acquireTopology(Topology.Kind.LABEL, source.topologyKey());
        EligibleDomains domains = index.acquireDomains(kind, countsNode ? "" : source.topologyKey(), eligibility);
        SpreadGroup group = selector == null || selector.isEmpty()
                ? null
                : index.acquireGroup(store.namespaces.acquire(pod.namespace()), selector, domains);
        int self = selector != null && selector.matches(pod.labels()) ? 1 : 0;
        return new PlannedConstraint(i, source, label, domains, selector, group, self);
    }

    private @Nullable JointHistogram joint(PlannedConstraint[] soft) {
        if (soft.length != 2) {
            return null;
        }
        SpreadGroup first = soft[0].group();
        SpreadGroup second = soft[1].group();
        if (first == null || second == null) {
            return null;
        }
        boolean nodesFirst = first.topology().kind == Topology.Kind.NODE;
        SpreadGroup overNodes = nodesFirst ? first : second;
        Topology other = (nodesFirst ? second : first).topology();
        return overNodes.topology().kind == Topology.Kind.NODE && other.kind != Topology.Kind.NODE
                ? store.index.acquireJoint(other, overNodes)
                : null;
    }

    /** The constraint's selector and, for each of matchLabelKeys that the pod carries, the pod's value; null matches nothing. */
    private static @Nullable LabelSelector effectiveSelector(
            SpreadConstraint constraint, Map<String, String> podLabels) {
        LabelSelector selector = constraint.selector();
        if (selector == null) {
            return null;
        }
        List<LabelRequirement> merged = new ArrayList<>();
        for (String key : constraint.matchLabelKeys()) {
            String value = podLabels.get(key);
            if (value != null) {
                merged.add(LabelRequirement.equal(key, value));
            }
        }
        return merged.isEmpty() ? selector : selector.and(new LabelSelector(merged));
    }

    private static AffinityKey affinityOf(IncomingPod pod) {
        return AffinityMatcher.isTrivial(pod.nodeSelector(), pod.affinityTerms())
                ? AffinityKey.NONE
                : new AffinityKey(pod.nodeSelector(), pod.affinityTerms());
    }
}
