package io.evenkeel.placement.explain;

import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanation.Cause;
import io.evenkeel.engine.explain.Explanation.ConstraintState;
import io.evenkeel.engine.explain.Explanation.Counted;
import io.evenkeel.engine.explain.Explanation.DomainCount;
import io.evenkeel.engine.explain.Explanation.DomainState;
import io.evenkeel.engine.explain.Explanation.Verdict;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.placement.answer.FitSummary;
import io.evenkeel.placement.answer.NodeReasons;
import io.evenkeel.placement.query.PodReferences;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeDomain;
import io.evenkeel.v1.NodeExplanation;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts an explanation of the engine to a response, except for revision and advice. */
final class ExplanationWriter {
    private static final List<String> JUDGED_FOR_ENTRY = List.of("cordons", "taints", "node affinity");

    private final Pod message;
    private final IncomingPod pod;
    private final EntryRules rules;
    private final Explanation explanation;
    private final int unjudged;
    private final CauseText words;
    private final CountedOwners owners;

    /**
     * @param message the message that {@code pod} was read from
     * @param unjudged the rules that can exclude nodes for the pod and are not judged; see {@link UnjudgedRules}
     */
    ExplanationWriter(Pod message, IncomingPod pod, EntryRules rules, Explanation explanation, int unjudged) {
        this.message = message;
        this.pod = pod;
        this.rules = rules;
        this.explanation = explanation;
        this.unjudged = unjudged;
        words = new CauseText(pod, explanation);
        owners = new CountedOwners(message);
    }

    /**
     * @param maxVerdicts the maximum number of nodes to list
     * @param ownNode the name of the node that the pod is on; empty if there is none
     */
    ExplainResponse.Builder write(int maxVerdicts, String ownNode) {
        ExplainResponse.Builder response = ExplainResponse.newBuilder()
                .addAllUnknownCandidates(explanation.unknownCandidates())
                .addAllUnknownPods(explanation.unknownPods().stream()
                        .map(PodReferences::of)
                        .toList())
                .setCandidateCount(explanation.verdicts().size())
                .setEnteredCount(explanation.entered())
                .setPassedCount(explanation.passed())
                .addAllReasons(counts(explanation.causes(), Cause::messages))
                .setDefaulted(explanation.fromDefaults())
                .setPlaced(explanation.wasPlaced())
                .setPodsWithoutRequests(explanation.podsWithoutRequests())
                .setNodesWithoutAllocatable(explanation.nodesWithoutAllocatable());
        String summary = FitSummary.of(
                explanation.passed(),
                explanation.verdicts().size(),
                response.getReasonsList().stream()
                        .collect(Collectors.toMap(ReasonCount::getMessage, ReasonCount::getNodeCount)),
                UnjudgedRules.names(unjudged));
        int unknown = explanation.unknownCandidates().size();
        response.setSummary(unknown == 0 ? summary : summary + " Unknown candidates: " + unknown + ".");
        if (rules != EntryRules.FITTING) {
            response.addAllUnjudgedRules(judgedForFitting());
        }
        response.addAllUnjudgedRules(UnjudgedRules.names(unjudged));
        if (rules == EntryRules.NONE) {
            response.addAllUnjudgedRules(JUDGED_FOR_ENTRY);
        }
        explanation.constraints().forEach(constraint -> response.addConstraints(write(constraint)));
        explanation.verdicts().stream().limit(maxVerdicts).forEach(verdict -> response.addVerdicts(write(verdict)));
        explanation.verdicts().stream()
                .filter(verdict -> verdict.node().equals(ownNode))
                .findFirst()
                .ifPresent(verdict -> response.setOwnNode(write(verdict)));
        return response;
    }

    private List<String> judgedForFitting() {
        List<String> rules = new ArrayList<>(List.of("resources"));
        if (!pod.requests().hostPorts().isEmpty()) {
            rules.add("ports");
        }
        if (!pod.nodeName().isEmpty()) {
            rules.add("node name");
        }
        return rules;
    }

    /**
     * The number of nodes that each cause excludes, counted under each of its texts, the largest first. Equal counts
     * are in the order of the causes.
     */
    private static List<ReasonCount> counts(
            SortedMap<Cause, Integer> nodesOfCause, Function<Cause, List<String>> texts) {
        Map<String, ReasonCount.Builder> byText = new LinkedHashMap<>();
        nodesOfCause.forEach((cause, nodes) -> texts.apply(cause).forEach(text -> {
            // Causes with the same text have the same reason.
            ReasonCount.Builder count = byText.computeIfAbsent(
                    text,
                    words -> ReasonCount.newBuilder()
                            .setReason(NodeReasons.of(cause.reason()))
                            .setMessage(words));
            count.setNodeCount(count.getNodeCount() + nodes);
        }));
        return byText.values().stream()
                .map(ReasonCount.Builder::build)
                .sorted(Comparator.comparingInt(ReasonCount::getNodeCount).reversed())
                .toList();
    }

    private NodeExplanation write(Verdict verdict) {
        NodeExplanation.Builder written = NodeExplanation.newBuilder()
                .setName(verdict.node())
                .setScore(verdict.score())
                .setDetail(words.ofNode(verdict));
        Cause cause = verdict.cause();
        if (cause == null) {
            written.setCode(NodeCode.NODE_CODE_SUCCESS);
        } else {
            written.setCode(NodeReasons.code(cause.reason().code()))
                    .setReason(NodeReasons.of(cause.reason()))
                    .setMessage(String.join(", ", cause.messages()));
            if (cause.isSpread()) {
                written.setConstraintIndex(cause.constraint());
            }
        }
        for (DomainCount count : verdict.domains()) {
            NodeDomain.Builder domain = written.addDomainsBuilder().setMatchingPodCount(count.matchingPods());
            if (count.domain() != null) {
                domain.setValue(count.domain());
            }
        }
        return written.build();
    }

    /** The hard constraint whose maxSkew excludes the most candidates; null if none excludes any. */
    @Nullable
    ConstraintExplanation decisiveConstraint() {
        return explanation.causes().entrySet().stream()
                .filter(each -> each.getKey().reason() == Reason.SKEW)
                .max(Map.Entry.comparingByValue())
                .flatMap(each -> explanation.constraints().stream()
                        .filter(state -> state.index() == each.getKey().constraint())
                        .findFirst())
                .map(this::write)
                .orElse(null);
    }

    private ConstraintExplanation write(ConstraintState state) {
        int excluded = explanation.causes().entrySet().stream()
                .filter(each -> each.getKey().constraint() == state.index())
                .mapToInt(Map.Entry::getValue)
                .sum();
        ConstraintExplanation.Builder written = ConstraintExplanation.newBuilder()
                .setIndex(state.index())
                .setConstraint(constraint(state))
                .setEffectiveSelector(SelectorText.of(state.selector()))
                .setSelfMatch(state.selfMatch() > 0)
                .setGlobalMinimum(state.minimum())
                .setTooFewDomains(state.belowMinDomains())
                .setEligibleDomainCount(state.eligibleDomains())
                .setEligibleNodeCount(state.eligibleNodes())
                .setCriticalPathCount(state.criticalPaths())
                .setDomainCount(state.totalDomains())
                .setLeastMaxSkew(state.leastMaxSkew())
                .setWeight(state.weight())
                .setExcludedNodeCount(excluded)
                .setAdmittedNodeCount(state.admitted())
                .setLabeledNodeCount(state.carriers())
                .setLabeledEnteredCount(state.enteredCarriers());
        Counted counted = state.counted();
        if (counted == null) {
            written.setCountedOmitted(true);
        } else {
            written.addAllCounted(owners.of(counted, state.selector()));
        }
        state.domains().forEach(domain -> written.addDomains(write(domain, state.index())));
        return written.build();
    }

    private DomainExplanation write(DomainState state, int constraint) {
        return DomainExplanation.newBuilder()
                .setValue(state.value())
                .setMatchingPodCount(state.matchingPods())
                .setEligible(state.eligible())
                .setCriticalPath(state.criticalPath())
                .setResultingSkew(state.skewAfterPlacement())
                .setAdmitted(state.wouldDo())
                .setNodeCount(state.nodes())
                .setEligibleNodeCount(state.eligibleNodes())
                .setPassedNodeCount(state.passed())
                .addAllExclusions(counts(state.excludedBy(), cause -> List.of(words.ofDomain(cause, constraint))))
                .addAllIneligibilities(
                        counts(state.ineligibleBy(), cause -> List.of(words.ofDomain(cause, constraint))))
                .build();
    }

    private TopologySpreadConstraint constraint(ConstraintState state) {
        if (!explanation.fromDefaults()) {
            return message.getSpec().getTopologySpreadConstraints(state.index());
        }
        SpreadConstraint source = state.source();
        TopologySpreadConstraint.Builder written = TopologySpreadConstraint.newBuilder()
                .setMaxSkew(source.maxSkew())
                .setTopologyKey(source.topologyKey())
                .setWhenUnsatisfiable(source.hard() ? "DoNotSchedule" : "ScheduleAnyway");
        if (source.minDomains() > 0) {
            written.setMinDomains(source.minDomains());
        }
        if (!source.honorAffinity()) {
            written.setNodeAffinityPolicy("Ignore");
        }
        if (source.honorTaints()) {
            written.setNodeTaintsPolicy("Honor");
        }
        return written.build();
    }
}
