package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.AffinityKey;
import io.evenkeel.engine.index.AffinityMatcher;
import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an incoming pod's plan is compiled from: the constraints in force, and the topology, eligibility and selector by
 * which each of them counts.
 *
 * @param ownersSelector the selector of default constraints; null if the pod's own constraints are in force
 * @param ownersVersion the version of the namespace's owners that the selector comes from
 */
public record PlanSources(
        IncomingPod pod,
        List<SpreadConstraint> constraints,
        boolean fromDefaults,
        @Nullable PodSelector ownersSelector,
        boolean system,
        long ownersVersion) {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    /** What the plan of a pod is compiled from in the state of {@code cluster}. */
    public static PlanSources of(IncomingPod pod, SpreadDefaults defaults, ClusterView cluster) {
        long version = cluster.ownersVersion(pod.namespace());
        PodSelector selector = ownersSelector(pod, defaults, cluster);
        if (selector == null) {
            return new PlanSources(pod, pod.constraints(), false, null, false, version);
        }
        List<SpreadConstraint> inForce = selector.isEmpty() ? List.of() : defaults.constraints();
        return new PlanSources(pod, inForce, true, selector, defaults.system(), version);
    }

    /** The selector that default constraints get from the pod's owners; null if they are not in force for the pod. */
    static @Nullable PodSelector ownersSelector(IncomingPod pod, SpreadDefaults defaults, ClusterView cluster) {
        if (!pod.constraints().isEmpty() || defaults.constraints().isEmpty()) {
            return null;
        }
        PodSelector given = defaults.ownersSelector();
        return given == null ? cluster.defaultSelector(pod) : given;
    }

    /** The node selector and the required affinity of a pod. */
    public static AffinityKey affinityOf(IncomingPod pod) {
        return AffinityMatcher.isTrivial(pod.nodeSelector(), pod.affinityTerms())
                ? AffinityKey.NONE
                : new AffinityKey(pod.nodeSelector(), pod.affinityTerms());
    }

    /**
     * The only nodes that kube-scheduler looks at if every required term names nodes (NodeAffinity's PreFilter); empty
     * if no term names a node by all its parts, and null if a term names none.
     */
    static @Nullable Set<String> namedNodes(@Nullable List<NodeTerm> terms) {
        if (terms == null || terms.isEmpty()) {
            return null;
        }
        Set<String> all = new HashSet<>();
        for (NodeTerm term : terms) {
            Set<String> names = null;
            for (NodeRequirement field : term.matchFields()) {
                if (field.key().equals("metadata.name") && field.operator().equals("In")) {
                    if (names == null) {
                        names = new HashSet<>(field.values());
                    } else {
                        // Not the list itself, which would be searched for each name.
                        names.retainAll(new HashSet<>(field.values()));
                    }
                }
            }
            if (names == null) {
                return null;
            }
            all.addAll(names);
        }
        return all;
    }

    /** Whether a constraint counts by node, whatever the node's labels are. */
    static boolean countsNode(SpreadConstraint source) {
        return !source.hard() && source.topologyKey().equals(HOSTNAME);
    }

    /** What the domains of a constraint are. */
    public Topology.Kind domainsKind(SpreadConstraint source) {
        if (countsNode(source)) {
            return Topology.Kind.NODE;
        }
        return system ? Topology.Kind.LABEL_OR_EMPTY : Topology.Kind.LABEL;
    }

    /** The key of the topology of {@link #domainsKind}. */
    public static String domainsKey(SpreadConstraint source) {
        return countsNode(source) ? "" : source.topologyKey();
    }

    /**
     * The nodes that are eligible for a constraint.
     *
     * @param affinity the pod's affinity
     */
    public Eligibility.Key eligibility(SpreadConstraint source, AffinityKey affinity) {
        return countsNode(source)
                ? Eligibility.Key.EVERY_NODE
                : new Eligibility.Key(
                        system ? List.of() : keys(source.hard()),
                        source.honorAffinity() ? affinity : AffinityKey.NONE,
                        source.honorTaints() ? pod.tolerations() : null);
    }

    /** The effective selector of a constraint; null matches no pod. */
    public @Nullable PodSelector selector(SpreadConstraint source) {
        return ownersSelector == null ? effectiveSelector(source, pod.labels()) : ownersSelector;
    }

    /** The topology keys that a node must have to be eligible. */
    private List<String> keys(boolean hard) {
        Set<String> keys = new TreeSet<>();
        for (SpreadConstraint source : constraints) {
            if (source.hard() == hard) {
                keys.add(source.topologyKey());
            }
        }
        return List.copyOf(keys);
    }

    /**
     * The constraint's selector with the pod's value for each of the matchLabelKeys that the pod has; null matches no
     * pod.
     */
    private static @Nullable PodSelector effectiveSelector(SpreadConstraint constraint, Map<String, String> podLabels) {
        PodSelector selector = constraint.selector();
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
        return merged.isEmpty() ? selector : selector.and(new PodSelector(merged));
    }
}
