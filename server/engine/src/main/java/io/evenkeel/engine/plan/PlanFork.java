package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.NodePredicate;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.Topology;
import java.util.Arrays;
import java.util.IdentityHashMap;

/**
 * Copies plans with their counts. Overlays change the counts in a copy, and explanations read a copy after the engine's
 * lock was released. The fit stays the cluster's. The same passes answer for a plan and for its copy, so both answers
 * follow the same rules. Used under the engine's lock. A copy belongs to the thread that made it.
 */
public final class PlanFork {
    private final IdentityHashMap<Object, Object> copies = new IdentityHashMap<>();
    private final boolean frozen;

    private PlanFork(boolean frozen) {
        this.frozen = frozen;
    }

    /**
     * A copy of a plan with its own counts, which the caller may change. It uses the topologies and eligibilities of
     * the cluster, so it must be used in the same hold of the lock.
     */
    public static PodPlan overOwnCounts(PodPlan plan) {
        return new PlanFork(false).fork(plan);
    }

    /**
     * Makes copies of plans with copies of all their parts. They show the present state, and can be read without the
     * lock. Copies of several plans share copies of the same part.
     */
    public static PlanFork frozen() {
        return new PlanFork(true);
    }

    public PodPlan fork(PodPlan plan) {
        NodePredicate affine = plan.affine;
        return plan.over(
                constraints(plan.hard),
                constraints(plan.soft),
                affine == null || !frozen ? affine : affine.frozen(),
                plan.fit);
    }

    private PlannedConstraint[] constraints(PlannedConstraint[] from) {
        return Arrays.stream(from).map(this::constraint).toArray(PlannedConstraint[]::new);
    }

    private PlannedConstraint constraint(PlannedConstraint from) {
        EligibleDomains domains = domains(from.domains());
        SpreadGroup group = from.group();
        return new PlannedConstraint(
                from.index(),
                from.source(),
                topology(from.label()),
                domains,
                from.selector(),
                group == null ? null : group(group, domains),
                from.self());
    }

    /** Constraints that share a group share its copy. */
    private SpreadGroup group(SpreadGroup from, EligibleDomains domains) {
        return (SpreadGroup) copies.computeIfAbsent(from, key -> from.fork(domains));
    }

    private EligibleDomains domains(EligibleDomains from) {
        if (!frozen) {
            return from;
        }
        EligibleDomains known = (EligibleDomains) copies.get(from);
        if (known == null) {
            known = from.frozen(topology(from.topology), eligibility(from.eligibility));
            copies.put(from, known);
        }
        return known;
    }

    private Topology topology(Topology from) {
        return frozen ? (Topology) copies.computeIfAbsent(from, key -> from.frozen()) : from;
    }

    private Eligibility eligibility(Eligibility from) {
        return (Eligibility) copies.computeIfAbsent(from, key -> from.frozen());
    }
}
