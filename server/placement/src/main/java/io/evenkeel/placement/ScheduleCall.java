package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.engine.simulation.RefusalListener;
import io.evenkeel.engine.simulation.Schedule;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.ScoredPodTranslator;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.placement.answer.NodeReasons;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.explain.PodExplainer;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledItem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One call of Schedule or ScheduleAndAssume: reads its items, has their pods placed, and writes the response. Not
 * thread-safe.
 */
final class ScheduleCall implements RefusalListener {
    static final int MAX_PODS = 100_000;
    private static final int MAX_ASSUMED = 1_000;

    /** Fewer, because every node is scored for each of them while the engine's lock is held. */
    private static final int MAX_ASSUMED_BY_SCORES = 100;

    private static final int MAX_EXPLAINED = 16;

    private final EngineAccess access;
    private final PodPlans plans;
    private final Limits limits;
    private final ScheduleRequest request;
    private final PlacementRule rule;
    private final StopSignal stop;
    private final ScheduledItem.Builder[] results;
    private final List<ScheduledPods> items = new ArrayList<>();

    /** The position in the request of each of {@code items}. */
    private final List<Integer> positions = new ArrayList<>();

    /** For each of {@code items}, the rules that are not judged for its pods; see {@link UnjudgedRules}. */
    private final List<Integer> unjudged = new ArrayList<>();

    /** The UIDs of {@code items}. */
    private final Set<String> uids = new HashSet<>();

    private int explained;

    /** Makes the record of the pods of an item. */
    @FunctionalInterface
    interface Records {
        /**
         * The record for {@link ScheduledPods}.
         *
         * @throws RequestException if the item is invalid
         */
        PodRecord of(io.evenkeel.v1.ScheduledPods item, int count) throws InvalidObjectException;
    }

    /** Places the pods of the valid items. */
    @FunctionalInterface
    interface Placing {
        Schedule place(List<ScheduledPods> items, PlacementRule rule, RefusalListener refusals);
    }

    /**
     * @param access the state in which the pods are placed
     * @param plans of this state
     */
    ScheduleCall(EngineAccess access, PodPlans plans, Limits limits, ScheduleRequest request, StopSignal stop) {
        this.access = access;
        this.plans = plans;
        this.limits = limits;
        this.request = request;
        this.rule = PlacementRules.of(request.getRule());
        this.stop = stop;
        results = new ScheduledItem.Builder[request.getPodsCount()];
    }

    /** How many pods a request may assume. */
    static int maxAssumed(ScheduleRequest request) {
        return request.getRule() == io.evenkeel.v1.PlacementRule.PLACEMENT_RULE_STOCK
                ? MAX_ASSUMED_BY_SCORES
                : MAX_ASSUMED;
    }

    /** Rejects a request that is too large, before anything is done for it. */
    static void admit(ScheduleRequest request, Limits limits, int maxPods) {
        Limits.admit(request.getPodsCount(), limits.events(), "pods");
        Limits.admit(request.getNodeOrderCount(), limits.names(), "nodeOrder");
        long pods = 0;
        for (io.evenkeel.v1.ScheduledPods item : request.getPodsList()) {
            pods += Math.max(1, item.getCount());
        }
        if (pods > maxPods) {
            throw RequestException.overLimit("pods", "must be at most " + maxPods + " pods in all, were " + pods);
        }
        if (request.getRule() == io.evenkeel.v1.PlacementRule.UNRECOGNIZED) {
            throw RequestException.invalid("rule", "must be a known rule, was " + request.getRuleValue());
        }
    }

    ScheduleResponse run(Records records, Placing placing) {
        SpreadEngine engine = access.engine();
        try (PlanPins pins = engine.pinPlans(stop, limits.newConstraints())) {
            read(records, pins);
            return response(placing.place(items, rule, this));
        }
    }

    private void read(Records records, PlanPins pins) {
        List<PodPlans.@Nullable Wanted> wanted = new ArrayList<>();
        long constraints = 0;
        for (int i = 0; i < results.length; i++) {
            stop.check();
            results[i] = ScheduledItem.newBuilder();
            PodPlans.Wanted pod = null;
            try {
                pod = plans.read(request.getPods(i).getPod(), EntryRules.FITTING, null);
                constraints += pod.constraints();
                limits.admitConstraints(constraints, "pods");
            } catch (InvalidObjectException e) {
                results[i].setError(ItemErrors.invalid(e, "pod"));
            }
            wanted.add(pod);
        }
        PodPlans.take(results.length, wanted::get, pins, (error, i) -> results[i].setError(ItemErrors.of(error)));
        for (int i = 0; i < results.length; i++) {
            PodPlans.Wanted pod = wanted.get(i);
            if (pod != null && !results[i].hasError()) {
                addItem(i, pod, records);
            }
        }
    }

    private void addItem(int i, PodPlans.Wanted pod, Records records) {
        io.evenkeel.v1.ScheduledPods item = request.getPods(i);
        try {
            int count = Limits.orDefault(item.getCount(), 1, "count");
            ScoredPod scored = rule == PlacementRule.STOCK
                    ? ScoredPodTranslator.translate(item.getPod().getSpec(), limits.pod())
                    : ScoredPod.NOTHING;
            PodRecord record = records.of(item, count);
            if (!uids.add(record.uid())) {
                throw RequestException.invalid("pod.metadata.uid", "must not be the UID of another item");
            }
            items.add(new ScheduledPods(pod.plan(), scored, record, count, item.getNode()));
            positions.add(i);
            unjudged.add(pod.unjudged());
            results[i].addAllUnjudged(UnjudgedRules.list(pod.unjudged()));
        } catch (InvalidObjectException e) {
            results[i].setError(ItemErrors.invalid(e, "pod"));
        } catch (RequestException e) {
            results[i].setError(ItemErrors.of(e));
        }
    }

    private ScheduledItem.Builder result(int item) {
        return results[positions.get(item)];
    }

    private ScheduleResponse response(Schedule schedule) {
        ScheduleResponse.Builder response =
                ScheduleResponse.newBuilder().setRevision(access.revision(schedule.revision()));
        Map<Integer, Integer> places = new TreeMap<>();
        for (int node : schedule.nodes()) {
            Integer place = places.get(node);
            if (place == null) {
                place = places.size();
                places.put(node, place);
                response.addNodes(Objects.requireNonNull(schedule.names().name(node)));
            }
            response.addPlacements(place);
        }
        for (int item = 0; item < items.size(); item++) {
            result(item).setPlacedCount(schedule.placed(item));
        }
        for (ScheduledItem.Builder result : results) {
            response.addItems(result);
        }
        int rules = unjudged.stream().reduce(0, (all, each) -> all | each);
        return response.addAllNotScored(PlacementRules.notScored(rule, rules)).build();
    }

    // ---- pods that are not placed

    @Override
    public boolean refused(int item, Answer answer) {
        if (!answer.unknownCandidates().isEmpty()) {
            result(item)
                    .setError(ItemErrors.of(
                            ErrorReason.ERROR_REASON_NODE_UNKNOWN,
                            "node " + Quotes.quoted(items.get(item).node()) + " is unknown (node)"));
            return false;
        }
        result(item).setSummary(new NodeReasons(answer).summary(unjudged.get(item)));
        return explained++ < MAX_EXPLAINED;
    }

    @Override
    public void afterRefusal(int item) {
        ScheduledPods pods = items.get(item);
        ConstraintExplanation constraint = new PodExplainer(access.engine())
                .decisiveConstraint(
                        request.getPods(positions.get(item)).getPod(),
                        pods.plan(),
                        pods.node().isEmpty() ? NodeSubset.ALL : NodeSubset.named(List.of(pods.node())),
                        stop);
        if (constraint != null) {
            result(item).setConstraint(constraint);
        }
    }

    @Override
    public void notAssumed(int item, Assumption why) {
        boolean deleted = why == Assumption.DELETED;
        result(item)
                .setError(ItemErrors.of(
                        deleted ? ErrorReason.ERROR_REASON_POD_DELETED : ErrorReason.ERROR_REASON_POD_BOUND,
                        deleted
                                ? "the pod was recently deleted (pod.metadata.uid)"
                                : "the pod is already bound to a node (pod.metadata.uid)"));
    }
}
