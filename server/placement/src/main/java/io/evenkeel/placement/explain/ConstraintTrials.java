package io.evenkeel.placement.explain;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanation.ConstraintState;
import io.evenkeel.engine.explain.Explanation.DomainState;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.v1.Advice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * For a pod that fits nowhere because of spread: tries out what its constraints may have been meant to say, and advises
 * what would let it in. So the advice is never a guess, though the trial may be of a revision a little newer than the
 * explanation.
 *
 * <ul>
 *   <li>{@code nodeTaintsPolicy}, {@code nodeAffinityPolicy}: a domain that the pod cannot enter holds the global
 *       minimum down (KEP-3094, foreseen in KEP-895);
 *   <li>{@code minDomains}: fewer domains are eligible, so the global minimum counts as 0;
 *   <li>{@code matchLabelKeys}: pods of earlier revisions, on their way out, are counted too.
 * </ul>
 */
final class ConstraintTrials {
    /** Constraints that are tried one by one; where there are more, only all together. */
    private static final int MAX_SINGLES = 4;

    private static final int MAX_NAMED_DOMAINS = 3;

    /** Keys that tell the revisions of a workload apart. */
    private static final Set<String> REVISION_KEYS = Set.of("pod-template-hash", "controller-revision-hash");

    private final SpreadEngine engine;
    private final PodPlan plan;
    private final CandidateNodes candidates;
    private final @Nullable PodKey without;
    private final Explanation stuck;
    private final PlanHold hold;
    private final StopSignal stop;
    private final @Nullable String revisionKey;
    private final List<Advice> advice = new ArrayList<>();

    /**
     * A change of a constraint.
     *
     * @param field what is changed
     * @param words the field's new state
     * @param applies to which constraints
     * @param cause why these hold the pod off; of the constraint as it is, and as it was found in the trial
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
     * @param explanation of that plan, those candidates and without that pod
     * @param hold of the call that the explanation is for
     * @param stop where it says so, trials end
     */
    ConstraintTrials(
            SpreadEngine engine,
            PodPlan plan,
            CandidateNodes candidates,
            @Nullable PodKey without,
            Explanation explanation,
            PlanHold hold,
            StopSignal stop) {
        this.hold = hold;
        this.stop = stop;
        this.engine = engine;
        this.plan = plan;
        this.candidates = candidates;
        this.without = without;
        this.stuck = explanation;
        revisionKey = plan.pod().labels().keySet().stream()
                .filter(REVISION_KEYS::contains)
                .findFirst()
                .orElse(null);
    }

    List<Advice> advice() {
        if (stuck.passed() > 0 || stuck.constraints().stream().noneMatch(ConstraintTrials::holdsOff)) {
            return advice;
        }
        try {
            tryAll();
        } catch (PlanLimitException e) {
            // The call may have no more compiled: what was found until then stands.
        }
        return advice;
    }

    private void tryAll() {
        boolean byTaints = tryOut(HONOR_TAINTS);
        boolean byAffinity = tryOut(HONOR_AFFINITY);
        if (!byTaints && !byAffinity) {
            tryOut(HONOR_BOTH);
        }
        tryOut(NO_MIN_DOMAINS);
        if (revisionKey != null && !stuck.fromDefaults()) {
            tryOut(byRevision(revisionKey));
        }
    }

    /** Whether a constraint by itself keeps the pod off a node that it could enter, by its counts. */
    private static boolean holdsOff(ConstraintState state) {
        return state.admitted() < state.enteredCarriers();
    }

    private static final Change HONOR_TAINTS = new Change(
            "nodeTaintsPolicy",
            "nodeTaintsPolicy: Honor",
            state -> holdsOff(state) && !state.source().honorTaints(),
            each -> with(each, each.minDomains(), each.honorAffinity(), true),
            ConstraintTrials::outOfReach);

    private static final Change HONOR_AFFINITY = new Change(
            "nodeAffinityPolicy",
            "nodeAffinityPolicy: Honor",
            state -> holdsOff(state) && !state.source().honorAffinity(),
            each -> with(each, each.minDomains(), true, each.honorTaints()),
            ConstraintTrials::outOfReach);

    private static final Change HONOR_BOTH = new Change(
            "nodeTaintsPolicy",
            "nodeAffinityPolicy: Honor and nodeTaintsPolicy: Honor",
            state -> holdsOff(state)
                    && !state.source().honorAffinity()
                    && !state.source().honorTaints(),
            each -> with(each, each.minDomains(), true, true),
            ConstraintTrials::outOfReach);

    private static final Change NO_MIN_DOMAINS = new Change(
            "minDomains",
            "no minDomains",
            state ->
                    holdsOff(state) && state.belowMinDomains() && state.source().minDomains() > 1,
            each -> with(each, 0, each.honorAffinity(), each.honorTaints()),
            ConstraintTrials::tooFewEligible);

    /** Nothing where there are too few domains at all, which {@link ConstraintAdvisor} tells. */
    private static String tooFewEligible(ConstraintState now, ConstraintState then) {
        return now.source().minDomains() > now.totalDomains()
                ? ""
                : "Only " + now.eligibleDomains() + " of the " + now.source().minDomains()
                        + " domains that it asks for are eligible, so the global minimum counts as 0 instead of "
                        + then.minimum() + ". ";
    }

    private static Change byRevision(String key) {
        return new Change(
                "matchLabelKeys",
                "matchLabelKeys: [" + key + "]",
                state -> holdsOff(state) && !looksAt(state, key),
                each -> withMatchLabelKey(each, key),
                (now, then) -> "Pods of other revisions (other values of " + key + ") are counted too. ");
    }

    private static boolean looksAt(ConstraintState state, String key) {
        return state.selector() == null
                || state.selector().isEmpty()
                || state.selector().requirements().stream()
                        .map(LabelRequirement::key)
                        .anyMatch(key::equals);
    }

    /**
     * Which domains hold the minimum down without being open to the pod: those that are no longer eligible in the
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
        Explanation then = explain(change, changed);
        if (then.passed() == 0) {
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
                            + ConstraintAdvisor.nodes(then.passed()) + " would be available.")
                    .build());
        }
        return true;
    }

    private Explanation explain(Change change, List<ConstraintState> changed) {
        IncomingPod pod = plan.pod();
        Set<Integer> places = changed.stream().map(ConstraintState::index).collect(Collectors.toSet());
        List<SpreadConstraint> sources =
                new ArrayList<>(stuck.fromDefaults() ? plan.defaults().constraints() : pod.constraints());
        places.forEach(place -> sources.set(place, change.change.apply(sources.get(place))));
        PodPlan trial = stuck.fromDefaults()
                ? hold.plan(pod, SpreadDefaults.list(sources))
                : hold.plan(pod.withConstraints(sources), plan.defaults());
        return engine.explain(trial, candidates, without, Integer.MAX_VALUE, stop);
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
