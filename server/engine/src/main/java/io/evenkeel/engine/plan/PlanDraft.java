package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.AffinityKey;
import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.index.NodePart;
import io.evenkeel.engine.index.NodePredicate;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A plan that is being compiled. Its parts are acquired one after another, in slices. Between slices, nodes, pods and
 * owners may change, and other plans may be compiled and dropped.
 *
 * <pre>
 *   label | label | … | conditions | nodes | nodes | …  ‖  counts | counts | … | plan
 *
 *   label        the topology of a constraint's label
 *   conditions   the pod's conditions on nodes
 *   nodes        the topology and the eligibility of a constraint
 *   counts       its eligible domains, and its group
 * </pre>
 *
 * Invariant: the draft has one use of a part for each of its references to it. At ‖ the new parts over nodes must be
 * built, because the steps after it use them. Eligible domains have their own uses of topology and eligibility, so the
 * draft's uses of these end then. The plan takes over all other uses.
 *
 * <p>Topologies by label come first, because an eligibility uses all of them.
 *
 * <p>Used under the engine's lock for writing, except {@link #build} and the constructor.
 */
public final class PlanDraft {
    /** The parts that one constraint has acquired so far. */
    private static final class Constraint {
        final int index;
        final SpreadConstraint source;

        @Nullable
        Topology label;

        @Nullable
        Topology topology;

        @Nullable
        Eligibility eligibility;

        @Nullable
        EligibleDomains domains;

        @Nullable
        PodSelector selector;

        @Nullable
        SpreadGroup group;

        Constraint(int index, SpreadConstraint source) {
            this.index = index;
            this.source = source;
        }

        PlannedConstraint planned(IncomingPod pod) {
            int self = selector != null && selector.matches(pod.labels()) ? 1 : 0;
            return new PlannedConstraint(
                    index,
                    source,
                    Objects.requireNonNull(label),
                    Objects.requireNonNull(domains),
                    selector,
                    group,
                    self);
        }
    }

    private final ClusterView cluster;
    private final SpreadIndex index;
    private final Namespaces namespaces;
    private final IncomingPod pod;
    private final SpreadDefaults defaults;
    private final AffinityKey affinity;
    private final NodePredicate.@Nullable Affine newAffine;
    private final @Nullable Set<String> namedNodes;

    private final List<Constraint> constraints = new ArrayList<>();
    private @Nullable NodePredicate schedulable;
    private @Nullable NodePredicate tolerated;
    private @Nullable NodePredicate affine;
    private @Nullable NodeFit fit;

    /** The eligibilities of the constraints so far, by policies. */
    private final Map<Integer, Eligibility> eligibilities = new HashMap<>();

    private final List<Runnable> steps = new ArrayList<>();
    private int stepsDone;

    /** The number of the first step that needs all parts over nodes to be built. */
    private int firstOnBuilt;

    private final List<NodePart> parts = new ArrayList<>();
    private int partsBuilt;

    private @Nullable PodPlan plan;

    /** Takes no lock, so the matcher of a large affinity is built here. */
    PlanDraft(ClusterView cluster, SpreadIndex index, Namespaces namespaces, IncomingPod pod, SpreadDefaults defaults) {
        this.cluster = cluster;
        this.index = index;
        this.namespaces = namespaces;
        this.pod = pod;
        this.defaults = defaults;
        affinity = PlanSources.affinityOf(pod);
        namedNodes = PlanSources.namedNodes(pod.affinityTerms());
        newAffine = affinity.isTrivial() ? null : index.affine(pod.nodeSelector(), pod.affinityTerms());
    }

    IncomingPod pod() {
        return pod;
    }

    SpreadDefaults defaults() {
        return defaults;
    }

    /** Whether parts must be built before {@link #advance} can continue. */
    public boolean isToBeBuilt() {
        return stepsDone > 0 && stepsDone == firstOnBuilt && partsBuilt < parts.size();
    }

    /** Whether the plan is complete and has taken over the acquired parts. */
    public boolean isComplete() {
        return plan != null;
    }

    /**
     * Does the next steps, at least one, until the time is up, parts must be built, or the plan is complete.
     *
     * @return the plan if it is complete, otherwise null; its groups must still be built
     * @throws CapacityException if there is no room for a text that the plan needs; {@link #releases} must follow
     */
    public @Nullable PodPlan advance(BooleanSupplier isTimeUp) {
        if (steps.isEmpty()) {
            begin(PlanSources.of(pod, defaults, cluster));
        }
        do {
            steps.get(stepsDone).run();
            stepsDone++;
            if (stepsDone == firstOnBuilt) {
                passBuilt();
            }
        } while (plan == null && !isToBeBuilt() && !isTimeUp.getAsBoolean());
        return plan;
    }

    /**
     * Builds the next slice of the new parts. It changes nothing else, so other threads may read meanwhile, but must
     * neither write nor build.
     */
    public void build(BooleanSupplier isTimeUp) {
        do {
            if (!index.build(parts.get(partsBuilt), isTimeUp)) {
                return;
            }
            passBuilt();
        } while (partsBuilt < parts.size() && !isTimeUp.getAsBoolean());
    }

    private void passBuilt() {
        while (partsBuilt < parts.size() && parts.get(partsBuilt).isBuilt()) {
            partsBuilt++;
        }
    }

    private void begin(PlanSources from) {
        for (int i = 0; i < from.constraints().size(); i++) {
            constraints.add(new Constraint(i, from.constraints().get(i)));
        }
        constraints.forEach(constraint -> steps.add(() -> takeLabel(constraint)));
        steps.add(this::takeConditions);
        constraints.forEach(constraint -> steps.add(() -> takeNodes(constraint, from)));
        firstOnBuilt = steps.size();
        constraints.forEach(constraint -> steps.add(() -> takeCounts(constraint, from)));
        steps.add(() -> plan = makePlan(from));
    }

    private void takeLabel(Constraint constraint) {
        constraint.label = index.acquireTopology(Topology.Kind.LABEL, constraint.source.topologyKey());
        parts.add(constraint.label);
    }

    private void takeConditions() {
        schedulable = index.acquireSchedulable(pod.tolerations());
        parts.add(schedulable);
        tolerated = index.acquireTolerated(pod.tolerations());
        parts.add(tolerated);
        fit = index.acquireFit(pod.requests());
        if (newAffine != null) {
            affine = index.acquireAffinity(affinity, newAffine);
            parts.add(affine);
        }
    }

    private void takeNodes(Constraint constraint, PlanSources from) {
        SpreadConstraint source = constraint.source;
        constraint.topology = index.acquireTopology(from.domainsKind(source), PlanSources.domainsKey(source));
        parts.add(constraint.topology);
        int policies = (PlanSources.countsNode(source) ? 8 : 0)
                | (source.hard() ? 4 : 0)
                | (source.honorAffinity() ? 2 : 0)
                | (source.honorTaints() ? 1 : 0);
        Eligibility known = eligibilities.get(policies);
        if (known == null) {
            known = index.acquireEligibility(from.eligibility(source, affinity));
            eligibilities.put(policies, known);
            parts.add(known);
        } else {
            known.retain();
        }
        constraint.eligibility = known;
    }

    private void takeCounts(Constraint constraint, PlanSources from) {
        Topology topology = Objects.requireNonNull(constraint.topology);
        Eligibility eligibility = Objects.requireNonNull(constraint.eligibility);
        EligibleDomains domains = index.acquireDomains(topology, eligibility);
        constraint.domains = domains;
        index.release(topology);
        index.release(eligibility);
        constraint.topology = null;
        constraint.eligibility = null;
        PodSelector selector = from.selector(constraint.source);
        constraint.selector = selector;
        if (selector != null && !selector.isEmpty()) {
            Namespace namespace = namespaces.acquire(pod.namespace());
            constraint.group = index.acquireGroup(namespace, selector, domains);
        }
    }

    private PodPlan makePlan(PlanSources from) {
        PlannedConstraint[] soft = planned(false);
        return new PodPlan(
                cluster,
                pod,
                defaults,
                planned(true),
                soft,
                joint(soft),
                from.fromDefaults(),
                Objects.requireNonNull(schedulable),
                Objects.requireNonNull(tolerated),
                affine,
                Objects.requireNonNull(fit),
                namedNodes,
                from.ownersSelector(),
                from.ownersVersion());
    }

    private PlannedConstraint[] planned(boolean hard) {
        return constraints.stream()
                .filter(constraint -> constraint.source.hard() == hard)
                .map(constraint -> constraint.planned(pod))
                .toArray(PlannedConstraint[]::new);
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
                ? index.acquireJoint(other, overNodes)
                : null;
    }

    /**
     * The steps that release all acquired parts, if no plan has taken them over. Nothing more may be acquired after
     * this.
     */
    List<Runnable> releases() {
        List<Runnable> releases = new ArrayList<>();
        if (!isComplete() && stepsDone + parts.size() > 0) {
            constraints.forEach(constraint -> releases.add(() -> release(constraint)));
            releases.add(this::releaseConditions);
        }
        return releases;
    }

    private void release(Constraint constraint) {
        if (constraint.group != null) {
            index.release(constraint.group);
        }
        if (constraint.domains != null) {
            index.release(constraint.domains);
        }
        if (constraint.eligibility != null) {
            index.release(constraint.eligibility);
        }
        if (constraint.topology != null) {
            index.release(constraint.topology);
        }
        if (constraint.label != null) {
            index.release(constraint.label);
        }
    }

    private void releaseConditions() {
        if (schedulable != null) {
            index.release(schedulable);
        }
        if (tolerated != null) {
            index.release(tolerated);
        }
        if (affine != null) {
            index.release(affine);
        }
        if (fit != null) {
            index.release(fit);
        }
        namespaces.dropIfEmpty(pod.namespace());
    }
}
