package io.evenkeel.placement.answer;

import com.google.protobuf.Timestamp;
import io.evenkeel.engine.cluster.InvalidSlotsException;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.preemption.NodeVictims;
import io.evenkeel.engine.preemption.Preemption;
import io.evenkeel.engine.preemption.Preemptor;
import io.evenkeel.engine.preemption.Victim;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.CandidateBits;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.PodReferences;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import io.evenkeel.v1.PreemptionNode;
import io.evenkeel.v1.PreemptionOutcome;
import io.evenkeel.v1.PreemptionVictim;
import io.evenkeel.v1.ReasonCount;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Answers Preempt: which pods would have to be removed so that a pod that no node accepts can be placed. Thread-safe.
 */
public final class PreemptHandler extends MessageHandler<PreemptRequest, PreemptResponse> {
    private static final int MAX_NODES = 100;

    /** The priorities of the classes that every cluster has (k8s.io/api/scheduling). */
    private static final Map<String, Integer> SYSTEM_CLASSES =
            Map.of("system-cluster-critical", 2_000_000_000, "system-node-critical", 2_000_001_000);

    private final QueryServices services;

    /** @param sessions finds the handler of the same method in a session */
    public PreemptHandler(QueryServices services, SessionLookup<PreemptHandler> sessions) {
        super(
                services.access(),
                PreemptRequest.parser(),
                PreemptRequest::getFreshness,
                PreemptRequest::getSession,
                sessions);
        this.services = services;
    }

    @Override
    protected Prepared<PreemptResponse> prepare(PreemptRequest request) {
        if (!request.hasPod()) {
            throw RequestException.invalid("pod", "must be set");
        }
        int most = Math.min(MAX_NODES, Limits.orDefault(request.getNodeLimit(), 1, "nodeLimit"));
        NodeSubset candidates = services.reader().candidates(request.getCandidates(), "candidates");
        SpreadDefaults own = services.reader().ownDefaults(request.getDefaults(), "defaults");
        PodSpec spec = request.getPod().getSpec();
        int priority = priority(spec);
        boolean never = isNever(spec);
        PodPlans.Wanted wanted;
        try {
            wanted = services.plans().read(request.getPod(), EntryRules.FITTING, own);
        } catch (InvalidObjectException e) {
            throw RequestException.invalid(e, "pod");
        }
        services.limits().admitConstraints(wanted.constraints(), "pod");
        return stop -> {
            services.access().requireBudgetsWithin(request.getFreshness());
            boolean budgetsKnown = services.access().knowsBudgets();
            String nominated = request.getPod().getStatus().getNominatedNodeName();
            Preemptor preemptor = new Preemptor(priority, never, nominated, budgetsKnown);
            Preemption preemption = search(wanted, preemptor, candidates, most, stop);
            KindVersions versions = preemption.versions();
            return response(preemption, outcome(preemption, never))
                    .setRevision(services.access().revision(preemption.revision()))
                    .setDisruptionBudgetsUnknown(!budgetsKnown)
                    .addAllUnknownCandidates(preemption.unknown())
                    .addAllUnjudged(UnjudgedRules.list(wanted.unjudged()))
                    .addAllResourceVersions(services.access().versionsFor(versions, request.getFreshness()))
                    .build();
        };
    }

    private static int priority(PodSpec spec) {
        String name = spec.getPriorityClassName();
        if (spec.hasPriority() || name.isEmpty()) {
            return spec.getPriority();
        }
        Integer known = SYSTEM_CLASSES.get(name);
        if (known == null) {
            throw RequestException.invalid(
                    "pod.spec.priority",
                    "must be set to the value of PriorityClass " + Quotes.quoted(name) + ", which is not known here");
        }
        return known;
    }

    private static boolean isNever(PodSpec spec) {
        return switch (spec.getPreemptionPolicy()) {
            case "", "PreemptLowerPriority" -> false;
            case "Never" -> true;
            default ->
                throw RequestException.invalid(
                        "pod.spec.preemptionPolicy",
                        "must be PreemptLowerPriority or Never, was " + Quotes.quoted(spec.getPreemptionPolicy()));
        };
    }

    private Preemption search(
            PodPlans.Wanted wanted, Preemptor preemptor, NodeSubset candidates, int most, StopSignal stop) {
        try (PlanPins pins = services.pinPlans(stop)) {
            return services.access().engine().preempt(wanted.get(pins), preemptor, candidates, most, stop);
        } catch (PlanLimitException e) {
            throw RequestException.overLimit(e, "pod.spec.topologySpreadConstraints");
        } catch (InvalidSlotsException e) {
            throw CandidateBits.refusal(e, "candidates");
        }
    }

    private PreemptResponse.Builder response(Preemption preemption, PreemptionOutcome outcome) {
        PreemptResponse.Builder response = PreemptResponse.newBuilder()
                .setOutcome(outcome)
                .setCandidateCount(preemption.candidates())
                .setAcceptingNodeCount(preemption.accepting())
                .setHelpfulNodeCount(preemption.helpful())
                .setUnresolvableNodeCount(preemption.unresolvable())
                .setWithoutVictimsNodeCount(preemption.withoutVictims())
                .setSummary(summary(preemption, outcome));
        long bytes = 0;
        for (NodeVictims each : preemption.nodes()) {
            PreemptionNode node = message(each);
            bytes += node.getSerializedSize();
            if (bytes > services.limits().responseBytes()) {
                throw RequestException.overLimit(
                        "nodeLimit",
                        "must be small enough for an answer of at most "
                                + services.limits().responseBytes() + " bytes; ask for fewer nodes at once");
            }
            response.addNodes(node);
        }
        preemption
                .excluding()
                .forEach((reason, messages) ->
                        messages.forEach((message, nodes) -> response.addStillExcluded(ReasonCount.newBuilder()
                                .setReason(NodeReasons.of(reason))
                                .setMessage(message)
                                .setNodeCount(nodes))));
        return response;
    }

    private static PreemptionOutcome outcome(Preemption preemption, boolean never) {
        if (preemption.accepting() > 0) {
            return PreemptionOutcome.PREEMPTION_OUTCOME_NOT_NEEDED;
        }
        if (never) {
            return PreemptionOutcome.PREEMPTION_OUTCOME_NEVER;
        }
        if (preemption.victimsTerminate()) {
            return PreemptionOutcome.PREEMPTION_OUTCOME_VICTIMS_TERMINATING;
        }
        return preemption.helpful() > 0
                ? PreemptionOutcome.PREEMPTION_OUTCOME_HELPFUL
                : PreemptionOutcome.PREEMPTION_OUTCOME_NOT_HELPFUL;
    }

    /** kube-scheduler's message; empty if preemption helps or is not needed. */
    private static String summary(Preemption preemption, PreemptionOutcome outcome) {
        return switch (outcome) {
            case PREEMPTION_OUTCOME_NEVER -> "not eligible due to preemptionPolicy=Never.";
            case PREEMPTION_OUTCOME_VICTIMS_TERMINATING ->
                "not eligible due to a terminating pod on the nominated node.";
            case PREEMPTION_OUTCOME_NOT_HELPFUL -> {
                Map<String, Integer> excluded = new TreeMap<>();
                preemption.excluding().values().forEach(excluded::putAll);
                excluded.put("Preemption is not helpful for scheduling", preemption.unresolvable());
                excluded.put("No preemption victims found for incoming pod", preemption.withoutVictims());
                excluded.values().removeIf(nodes -> nodes == 0);
                yield FitSummary.of(0, preemption.candidates(), excluded, List.of());
            }
            default -> "";
        };
    }

    private static PreemptionNode message(NodeVictims node) {
        PreemptionNode.Builder message = PreemptionNode.newBuilder()
                .setName(node.node())
                .setBudgetViolationCount(node.violations())
                .setHighestPriority(node.victims().get(0).priority())
                .setPrioritySum(node.prioritySum());
        if (node.earliestStart() > 0) {
            message.setEarliestStartTime(timestamp(node.earliestStart()));
        }
        for (Victim victim : node.victims()) {
            PreemptionVictim.Builder each = message.addVictimsBuilder()
                    .setPod(PodReferences.of(victim.uid(), victim.namespace(), victim.name()))
                    .setPriority(victim.priority());
            if (victim.startedAt() > 0) {
                each.setStartTime(timestamp(victim.startedAt()));
            }
        }
        return message.build();
    }

    private static Timestamp timestamp(long seconds) {
        return Timestamp.newBuilder().setSeconds(seconds).build();
    }
}
