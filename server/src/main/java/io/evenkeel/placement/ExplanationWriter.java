package io.evenkeel.placement;

import io.evenkeel.engine.Explanation;
import io.evenkeel.engine.PodPlan;
import io.evenkeel.engine.Reason;
import io.evenkeel.engine.SpreadConstraint;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** An explanation as the protocol has it. */
final class ExplanationWriter {
    private static final List<String> NOT_JUDGED = List.of("resources", "volumes", "ports", "inter-pod affinity");
    private static final List<String> NOT_JUDGED_OF_NODES = List.of("cordons", "taints", "node affinity");

    private final ExplainRequest request;
    private final PodPlan plan;
    private final Explanation explanation;
    private final boolean entryJudged;

    /** @param entryJudged whether the nodes that the pod cannot enter at all were taken out first */
    ExplanationWriter(ExplainRequest request, PodPlan plan, Explanation explanation, boolean entryJudged) {
        this.request = request;
        this.plan = plan;
        this.explanation = explanation;
        this.entryJudged = entryJudged;
    }

    /** @param ownersKnown whether the cluster has any object that gives default constraints their selector */
    ExplainResponse write(Revision revision, boolean ownersKnown) {
        int nodes = explanation.verdicts().size();
        int passed = (int) explanation.verdicts().stream()
                .filter(Explanation.Verdict::passed)
                .count();
        ExplainResponse.Builder response = ExplainResponse.newBuilder()
                .setRevision(revision)
                .setNodeTableRevision(explanation.names().revision())
                .addAllUnknownCandidates(explanation.unknownCandidates())
                .setNodes(nodes)
                .setPassed(passed)
                .setSummary(summary(nodes, passed))
                .addAllReasons(byReason(explanation.causes()))
                .setFromDefaults(explanation.fromDefaults())
                .addAllAdvice(new Advisor(plan, explanation).advice(ownersKnown))
                .addAllNotJudged(NOT_JUDGED)
                .setWasPlaced(explanation.wasPlaced());
        if (!entryJudged) {
            response.addAllNotJudged(NOT_JUDGED_OF_NODES);
        }
        explanation.constraints().forEach(constraint -> response.addConstraints(write(constraint)));
        int most = request.getMaxNodes() == 0 ? nodes : ExplainQuery.unsigned(request.getMaxNodes());
        explanation.verdicts().stream().limit(most).forEach(verdict -> response.addVerdicts(write(verdict)));
        return response.build();
    }

    /** As kube-scheduler's {@code FitError}: the reasons with their counts, in the order of that text. */
    private String summary(int nodes, int passed) {
        String summary = passed + "/" + nodes + " nodes are available";
        if (passed > 0 || nodes == 0) {
            return summary + ".";
        }
        return byReason(explanation.causes()).stream()
                .map(count -> count.getNodes() + " " + count.getReason())
                .sorted()
                .collect(Collectors.joining(", ", summary + ": ", "."));
    }

    /** Most first; equal counts in the order of the rules. */
    private static List<ReasonCount> byReason(SortedMap<Explanation.Cause, Integer> causes) {
        Map<Reason, Integer> counts = new EnumMap<>(Reason.class);
        causes.forEach((cause, nodes) -> counts.merge(cause.reason(), nodes, Integer::sum));
        Map<String, Integer> byText = new LinkedHashMap<>();
        counts.forEach((reason, nodes) -> byText.put(reason.text(), nodes));
        return counted(byText);
    }

    private static List<ReasonCount> counted(Map<String, Integer> byText) {
        return byText.entrySet().stream()
                .map(each -> ReasonCount.newBuilder()
                        .setReason(each.getKey())
                        .setNodes(each.getValue())
                        .build())
                .sorted(Comparator.comparingInt(ReasonCount::getNodes).reversed())
                .toList();
    }

    private NodeVerdict write(Explanation.Verdict verdict) {
        NodeVerdict.Builder written = NodeVerdict.newBuilder()
                .setName(verdict.node())
                .setIndex(verdict.index())
                .setScore(verdict.score());
        Explanation.Cause cause = verdict.cause();
        if (cause != null) {
            written.setCode(NodeCodes.of(cause.reason().code()))
                    .setReason(cause.reason().text());
        }
        return written.build();
    }

    private ConstraintExplanation write(Explanation.ConstraintState state) {
        int takenOut = explanation.causes().entrySet().stream()
                .filter(each -> each.getKey().constraint() == state.index())
                .mapToInt(Map.Entry::getValue)
                .sum();
        ConstraintExplanation.Builder written = ConstraintExplanation.newBuilder()
                .setIndex(state.index())
                .setConstraint(constraint(state))
                .setEffectiveSelector(SelectorText.of(state.selector()))
                .setSelfMatch(state.selfMatch())
                .setGlobalMinimum(state.minimum())
                .setBelowMinDomains(state.belowMinDomains())
                .setEligibleDomains(state.eligibleDomains())
                .setEligibleNodes(state.eligibleNodes())
                .setCriticalPaths(state.criticalPaths())
                .setTotalDomains(state.totalDomains())
                .setLeastMaxSkew(state.leastMaxSkew())
                .setWeight(state.weight())
                .setNodesTakenOut(takenOut);
        state.domains().forEach(domain -> written.addDomains(write(domain, state.index())));
        return written.build();
    }

    private DomainExplanation write(Explanation.DomainState state, int constraint) {
        Map<String, Integer> shutOutBy = new LinkedHashMap<>();
        state.shutOutBy().forEach((cause, nodes) -> {
            boolean another = cause.constraint() >= 0 && cause.constraint() != constraint;
            shutOutBy.merge(
                    cause.reason().text() + (another ? " (constraint " + cause.constraint() + ")" : ""),
                    nodes,
                    Integer::sum);
        });
        return DomainExplanation.newBuilder()
                .setValue(state.value())
                .setMatchingPods(state.matchingPods())
                .setEligible(state.eligible())
                .setCriticalPath(state.criticalPath())
                .setSkewAfterPlacement(state.skewAfterPlacement())
                .setWouldDo(state.wouldDo())
                .setNodes(state.nodes())
                .setEligibleNodes(state.eligibleNodes())
                .setNodesPassed(state.passed())
                .addAllShutOutBy(counted(shutOutBy))
                .build();
    }

    private TopologySpreadConstraint constraint(Explanation.ConstraintState state) {
        if (!explanation.fromDefaults()) {
            return request.getPod().getSpec().getTopologySpreadConstraints(state.index());
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
