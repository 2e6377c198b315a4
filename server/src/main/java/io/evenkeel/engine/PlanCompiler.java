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

    /**
     * What the constraints of a pod come from.
     *
     * @param ownersSelector the defaults' selector; null where the pod's own constraints are in force
     */
    private record Sources(
            List<SpreadConstraint> constraints,
            boolean fromDefaults,
            @Nullable LabelSelector ownersSelector,
            boolean system) {}

    private Sources sourcesOf(IncomingPod pod, DefaultConstraints defaults) {
        if (!pod.constraints().isEmpty() || defaults.constraints().isEmpty()) {
            return new Sources(pod.constraints(), false, null, false);
        }
        LabelSelector selector = store.owners.defaultSelector(pod);
        return new Sources(selector.isEmpty() ? List.of() : defaults.constraints(), true, selector, defaults.system());
    }

    /**
     * The parts over nodes that the plan of a pod will rest on, each with one use more. Those that are new still have to be built ({@link SpreadIndex#build}).
     *
     * @throws CapacityException where there is no room for a text that the plan needs; nothing is changed
     */
    List<NodePart> takeParts(IncomingPod pod, DefaultConstraints defaults) {
        Sources sources = sourcesOf(pod, defaults);
        // Where a text has no room that shows now, before any part is made.
        int[] texts = acquireTexts(pod, sources);
        try {
            return takeParts(pod, sources);
        } finally {
            LabelIds.release(texts, store.strings);
        }
    }

    private List<NodePart> takeParts(IncomingPod pod, Sources sources) {
        SpreadIndex index = store.index;
        List<NodePart> parts = new ArrayList<>();
        for (SpreadConstraint source : sources.constraints) {
            List<String> keys = keysOf(sources.constraints, source.hard());
            parts.add(index.takeTopology(Topology.Kind.LABEL, source.topologyKey()));
            parts.add(index.takeTopology(kindOf(source, sources.system), domainsKeyOf(source)));
            parts.add(index.takeEligibility(eligibilityOf(source, pod, keys, sources.system)));
        }
        parts.add(index.takeSchedulable(pod.tolerations()));
        parts.add(index.takeTolerated(pod.tolerations()));
        NodePredicate affine = index.takeAffinity(affinityOf(pod));
        if (affine != null) {
            parts.add(affine);
        }
        return parts;
    }

    void release(List<NodePart> parts) {
        parts.forEach(store.index::release);
    }

    /** @throws CapacityException where there is no room for a text that the plan needs; nothing is changed */
    PodPlan compile(IncomingPod pod, DefaultConstraints defaults) {
        Sources all = sourcesOf(pod, defaults);
        int[] texts = acquireTexts(pod, all);
        try {
            return compile(pod, defaults, all);
        } finally {
            LabelIds.release(texts, store.strings);
        }
    }

    /** Where texts may have no room: one use of each that the parts of a plan will name, which its parts then find. None where there is room for all. */
    private int[] acquireTexts(IncomingPod pod, Sources sources) {
        List<String> texts = textsOf(pod, sources);
        if (store.strings.hasRoomFor(texts.size())) {
            return new int[0];
        }
        int[] ids = new int[texts.size()];
        int length = 0;
        try {
            for (String text : texts) {
                ids[length] = store.strings.acquire(text);
                length++;
            }
        } catch (CapacityException full) {
            LabelIds.release(ids, length, store.strings);
            throw full;
        }
        return ids;
    }

    /** All texts that the parts of a plan will name, some of them more than once. */
    private static List<String> textsOf(IncomingPod pod, Sources sources) {
        List<String> texts = new ArrayList<>();
        for (SpreadConstraint source : sources.constraints) {
            texts.add(source.topologyKey());
            LabelSelector selector =
                    sources.ownersSelector == null ? effectiveSelector(source, pod.labels()) : sources.ownersSelector;
            if (selector != null) {
                for (LabelRequirement requirement : selector.requirements()) {
                    texts.add(requirement.key());
                    texts.addAll(requirement.values());
                }
            }
        }
        return texts;
    }

    private PodPlan compile(IncomingPod pod, DefaultConstraints defaults, Sources all) {
        List<SpreadConstraint> sources = all.constraints;
        boolean fromDefaults = all.fromDefaults;
        LabelSelector ownersSelector = all.ownersSelector;
        boolean system = all.system;
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
                ownersSelector,
                store.owners.version(pod.namespace()));
    }

    void release(PodPlan plan) {
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
        List<String> keys = keysOf(sources, hard);
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

    /** The topology keys that a node must carry to be eligible. */
    private static List<String> keysOf(List<SpreadConstraint> sources, boolean hard) {
        return sources.stream()
                .filter(source -> source.hard() == hard)
                .map(SpreadConstraint::topologyKey)
                .distinct()
                .sorted()
                .toList();
    }

    /** Whether a constraint counts the pods of each very node, whatever its labels. */
    private static boolean countsNode(SpreadConstraint source) {
        return !source.hard() && source.topologyKey().equals(HOSTNAME);
    }

    private static Topology.Kind kindOf(SpreadConstraint source, boolean system) {
        if (countsNode(source)) {
            return Topology.Kind.NODE;
        }
        return system ? Topology.Kind.LABEL_OR_EMPTY : Topology.Kind.LABEL;
    }

    private static String domainsKeyOf(SpreadConstraint source) {
        return countsNode(source) ? "" : source.topologyKey();
    }

    private static Eligibility.Key eligibilityOf(
            SpreadConstraint source, IncomingPod pod, List<String> keys, boolean system) {
        return countsNode(source)
                ? Eligibility.Key.EVERY_NODE
                : new Eligibility.Key(
                        system ? List.of() : keys,
                        source.honorAffinity() ? affinityOf(pod) : AffinityKey.NONE,
                        source.honorTaints() ? pod.tolerations() : null);
    }

    private PlannedConstraint plan(
            int i,
            SpreadConstraint source,
            IncomingPod pod,
            List<String> keys,
            @Nullable LabelSelector selector,
            boolean system) {
        SpreadIndex index = store.index;
        Topology label = index.acquireTopology(Topology.Kind.LABEL, source.topologyKey());
        EligibleDomains domains = index.acquireDomains(
                kindOf(source, system), domainsKeyOf(source), eligibilityOf(source, pod, keys, system));
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
