package io.evenkeel.placement.explain;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanation.ConstraintState;
import io.evenkeel.engine.explain.Explanation.DomainState;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.v1.Advice;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.CountedPods;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds changes to a pod's constraints that would help: if its constraints exclude every node, those that allow it to
 * be placed, and in any case {@code matchLabelKeys} if pods of another revision of its workload are counted. Each
 * change is tried on the cluster, so the advice is never a guess. It must also help the next two replicas: a change
 * after which the constraints exclude every node for one of them is not advised. A trial may use a slightly newer
 * revision than the explanation.
 *
 * <ul>
 *   <li>{@code nodeTaintsPolicy}, {@code nodeAffinityPolicy}: a domain that the pod cannot enter keeps the global
 *       minimum low (KEP-3094, foreseen in KEP-895);
 *   <li>{@code minDomains}: fewer domains are eligible than it demands, so the global minimum counts as 0;
 *   <li>{@code matchLabelKeys}: pods of other revisions, which a rollout removes, are also counted.
 * </ul>
 */
final class ConstraintTrials {
    /** The maximum number of constraints to try individually. If there are more, they are only tried all together. */
    private static final int MAX_SINGLES = 4;

    private static final int MAX_NAMED_DOMAINS = 3;

    /** How many further replicas a change must admit. */
    private static final int REPLICAS_AHEAD = 2;

    private final SpreadEngine engine;
    private final PodPlan plan;
    private final NodeSubset candidates;
    private final EntryRules rules;
    private final Overlay overlay;
    private final Explanation stuck;
    private final boolean incomplete;
    private final PlanPins pins;
    private final StopSignal stop;
    private final @Nullable String revisionKey;

    /** A rollout of a DaemonSet keeps its pods on their nodes, so no choice of nodes can leave them uneven. */
    private final boolean isOfDaemonSet;

    /** The constraints that count pods of another revision of the pod's workload. */
    private final Map<Integer, Long> ofOtherRevisions;

    private final List<Advice> advice = new ArrayList<>();

    /**
     * A change of a constraint to try.
     *
     * @param field the field to change
     * @param words the new value as text
     * @param applies true for constraints that the change can be applied to
     * @param cause explains why the constraint excludes the pod, given its state now and in the trial
     */
    private record Change(
            String field,
            String words,
            Predicate<ConstraintState> applies,
            Function<SpreadConstraint, SpreadConstraint> change,
            Cause cause) {}

    private interface Cause {
        String of(ConstraintState now, ConstraintState then);
    }

    /**
     * @param explanation the explanation of that plan, for those candidates and that overlay
     * @param written the constraints of the explanation, as they are sent
     * @param incomplete whether there are rules that can exclude nodes for the pod and are not judged
     * @param pins the pins of the call
     * @param stop stops the trials once the call is cancelled or its deadline has passed
     */
    ConstraintTrials(
            SpreadEngine engine,
            PodPlan plan,
            NodeSubset candidates,
            EntryRules rules,
            Overlay overlay,
            Explanation explanation,
            List<ConstraintExplanation> written,
            boolean incomplete,
            PlanPins pins,
            StopSignal stop) {
        this.pins = pins;
        this.stop = stop;
        this.engine = engine;
        this.plan = plan;
        this.candidates = candidates;
        this.rules = rules;
        this.overlay = overlay;
        this.stuck = explanation;
        this.incomplete = incomplete;
        revisionKey = PodOwner.revisionKey(plan.pod().labels());
        ControllerRef controller = plan.pod().controller();
        isOfDaemonSet = controller != null && controller.kind().equals("DaemonSet");
        ofOtherRevisions = written.stream()
                .collect(Collectors.toMap(ConstraintExplanation::getIndex, ConstraintTrials::ofOtherRevisions));
    }

    private static long ofOtherRevisions(ConstraintExplanation constraint) {
        return constraint.getCountedList().stream()
                .filter(each -> each.getRelation() == CountedPods.Relation.RELATION_OTHER_REVISION)
                .mapToLong(CountedPods::getPodCount)
                .sum();
    }

    List<Advice> advice() {
        try {
            if (stuck.passed() == 0 && stuck.constraints().stream().anyMatch(ConstraintAdvisor::holdsOff)) {
                tryPolicies();
            }
            if (revisionKey != null && !stuck.fromDefaults() && stuck.entered() > 0 && !isOfDaemonSet) {
                tryOut(byRevision(revisionKey));
            }
        } catch (PlanLimitException e) {
            // The call must not compile more plans. Keeps the advice found so far.
        }
        return advice;
    }

    private void tryPolicies() {
        boolean byTaints = tryOut(HONOR_TAINTS);
        boolean byAffinity = tryOut(HONOR_AFFINITY);
        if (!byTaints && !byAffinity) {
            tryOut(HONOR_BOTH);
        }
        tryOut(NO_MIN_DOMAINS);
    }

    private static final Change HONOR_TAINTS = new Change(
            "nodeTaintsPolicy",
            "nodeTaintsPolicy: Honor",
            state -> ConstraintAdvisor.holdsOff(state) && !state.source().honorTaints(),
            each -> with(each, each.minDomains(), each.honorAffinity(), true),
            ConstraintTrials::outOfReach);

    private static final Change HONOR_AFFINITY = new Change(
            "nodeAffinityPolicy",
            "nodeAffinityPolicy: Honor",
            state -> ConstraintAdvisor.holdsOff(state) && !state.source().honorAffinity(),
            each -> with(each, each.minDomains(), true, each.honorTaints()),
            ConstraintTrials::outOfReach);

    private static final Change HONOR_BOTH = new Change(
            "nodeTaintsPolicy",
            "nodeAffinityPolicy: Honor and nodeTaintsPolicy: Honor",
            state -> ConstraintAdvisor.holdsOff(state)
                    && !state.source().honorAffinity()
                    && !state.source().honorTaints(),
            each -> with(each, each.minDomains(), true, true),
            ConstraintTrials::outOfReach);

    private static final Change NO_MIN_DOMAINS = new Change(
            "minDomains",
            "no minDomains",
            state -> ConstraintAdvisor.holdsOff(state)
                    && state.belowMinDomains()
                    && state.source().minDomains() > 1,
            each -> with(each, 0, each.honorAffinity(), each.honorTaints()),
            ConstraintTrials::tooFewEligible);

    /** Empty if the cluster has too few domains in total, which {@link ConstraintAdvisor} reports. */
    private static String tooFewEligible(ConstraintState now, ConstraintState then) {
        if (then.eligibleDomains() == 1) {
            return "Only one domain is eligible, so without minDomains all pods may go to it. ";
        }
        return now.source().minDomains() > now.totalDomains()
                ? ""
                : "Only " + now.eligibleDomains() + " of the " + now.source().minDomains()
                        + " domains that it requires are eligible, so the global minimum counts as 0 instead of "
                        + then.minimum() + ". ";
    }

    private Change byRevision(String key) {
        return new Change(
                "matchLabelKeys",
                "matchLabelKeys: [" + key + "]",
                state -> state.source().hard()
                        && ofOtherRevisions.getOrDefault(state.index(), 0L) > 0
                        && !looksAt(state, key),
                each -> withMatchLabelKey(each, key),
                (now, then) -> {
                    long pods = ofOtherRevisions.getOrDefault(now.index(), 0L);
                    return (pods == 1 ? "1 counted pod belongs" : pods + " counted pods belong")
                            + " to other revisions of the workload. A rollout removes them, and may leave the new pods"
                            + " uneven. ";
                });
    }

    private static boolean looksAt(ConstraintState state, String key) {
        return state.selector() == null
                || state.selector().isEmpty()
                || state.selector().requirements().stream()
                        .map(LabelRequirement::key)
                        .anyMatch(key::equals);
    }

    /**
     * Names the domains that keep the global minimum low although the pod cannot enter them: those not eligible in the
     * trial.
     */
    private static String outOfReach(ConstraintState now, ConstraintState then) {
        Set<String> eligibleThen = then.domains().stream()
                .filter(DomainState::eligible)
                .map(DomainState::value)
                .collect(Collectors.toSet());
        List<DomainState> held = now.domains().stream()
                .filter(domain -> domain.criticalPath() && !eligibleThen.contains(domain.value()))
                .toList();
        String names =
                held.stream().limit(MAX_NAMED_DOMAINS).map(DomainState::value).collect(Collectors.joining(", "));
        int more = held.size() - MAX_NAMED_DOMAINS;
        return held.isEmpty()
                ? "Pods on nodes that the pod cannot enter are counted. "
                : "The global minimum is " + now.minimum() + " because of " + names
                        + (more > 0 ? " and " + more + " more domains" : "") + ", which the pod cannot enter. ";
    }

    private boolean tryOut(Change change) {
        List<ConstraintState> affected =
                stuck.constraints().stream().filter(change.applies).toList();
        boolean helps = false;
        if (affected.size() <= MAX_SINGLES) {
            for (ConstraintState state : affected) {
                helps |= tryOut(change, List.of(state));
            }
        }
        return helps || affected.size() > 1 && tryOut(change, affected);
    }

    private boolean tryOut(Change change, List<ConstraintState> changed) {
        PodPlan trial = trial(change, changed);
        Explanation then = explain(trial, overlay);
        if (then.passed() == 0 || strandsNext(trial, then)) {
            return false;
        }
        for (ConstraintState now : changed) {
            ConstraintState after = then.constraints().stream()
                    .filter(state -> state.index() == now.index())
                    .findFirst()
                    .orElse(now);
            String together = changed.size() == 1
                    ? ""
                    : " in " + changed.stream().map(CauseText::name).collect(Collectors.joining(" and "));
            advice.add(Advice.newBuilder()
                    .setField(ConstraintAdvisor.path(stuck, now) + "." + change.field)
                    .setMessage(change.cause.of(now, after) + "With " + change.words + together + ", "
                            + ConstraintAdvisor.nodes(then.passed())
                            + (incomplete ? " would pass what is judged." : " would be available."))
                    .build());
        }
        return true;
    }

    /**
     * Places the pod on the best node, and then the next replicas; returns whether the constraints alone exclude every
     * node for one of these.
     */
    private boolean strandsNext(PodPlan trial, Explanation first) {
        List<Overlay.Added> added = new ArrayList<>(overlay.added());
        Explanation then = first;
        for (int i = 0; i < REPLICAS_AHEAD; i++) {
            added.add(new Overlay.InFull(
                    replica(trial.pod(), then.verdicts().get(0).node())));
            then = explain(trial, new Overlay(overlay.without(), added));
            if (then.passed() == 0) {
                return then.entered() > 0;
            }
        }
        return false;
    }

    private static PodObject replica(IncomingPod pod, String node) {
        return new PodObject(pod.namespace(), "", "", 0, pod.labels(), node, false, false, pod.requests());
    }

    private Explanation explain(PodPlan trial, Overlay with) {
        return engine.explain(trial, candidates, rules, with, Integer.MAX_VALUE, stop);
    }

    private PodPlan trial(Change change, List<ConstraintState> changed) {
        IncomingPod pod = plan.pod();
        Set<Integer> places = changed.stream().map(ConstraintState::index).collect(Collectors.toSet());
        List<SpreadConstraint> sources =
                new ArrayList<>(stuck.fromDefaults() ? plan.defaults().constraints() : pod.constraints());
        places.forEach(place -> sources.set(place, change.change.apply(sources.get(place))));
        return stuck.fromDefaults()
                ? pins.plan(pod, plan.defaults().listing(sources))
                : pins.plan(pod.withConstraints(sources), plan.defaults());
    }

    private static SpreadConstraint with(
            SpreadConstraint from, int minDomains, boolean honorAffinity, boolean honorTaints) {
        return new SpreadConstraint(
                from.maxSkew(),
                from.topologyKey(),
                from.hard(),
                from.selector(),
                from.matchLabelKeys(),
                minDomains,
                honorAffinity,
                honorTaints);
    }

    private static SpreadConstraint withMatchLabelKey(SpreadConstraint from, String key) {
        List<String> keys = new ArrayList<>(from.matchLabelKeys());
        keys.add(key);
        return new SpreadConstraint(
                from.maxSkew(),
                from.topologyKey(),
                from.hard(),
                from.selector(),
                keys,
                from.minDomains(),
                from.honorAffinity(),
                from.honorTaints());
    }
}
