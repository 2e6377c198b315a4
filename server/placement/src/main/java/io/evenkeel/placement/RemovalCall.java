package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Drainability;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.simulation.NodePod;
import io.evenkeel.engine.simulation.NodeRemoval;
import io.evenkeel.engine.simulation.NodeRemovals;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.ScoredPodTranslator;
import io.evenkeel.objects.TemplateReader;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.placement.answer.NodeReasons;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.explain.PodExplainer;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.PodReferences;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.BlockingPod;
import io.evenkeel.v1.BlockingReason;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One call of SimulateRemoval, with its own copy of the cluster. Not thread-safe. */
final class RemovalCall implements NodeRemovals.Plans, NodeRemovals.StuckPodListener, AutoCloseable {
    private static final int MAX_EXPLAINED = 16;

    private final QueryServices services;
    private final SimulateRemovalRequest request;
    private final PlacementRule rule;
    private final StopSignal stop;
    private final SpreadEngine engine;
    private final long revision;
    private final boolean budgetsKnown;
    private final PodPlans plans;
    private final PlanPins pins;

    /** The rules that are not judged for the pods of a label class. */
    private final Map<Integer, Integer> unjudged = new HashMap<>();

    private final SimulateRemovalResponse.Builder response = SimulateRemovalResponse.newBuilder();
    private final Map<String, Integer> destinations = new LinkedHashMap<>();
    private BlockingPod stuck = BlockingPod.getDefaultInstance();
    private int explained;
    private long bytes;

    RemovalCall(QueryServices services, SimulateRemovalRequest request, StopSignal stop) {
        this.services = services;
        this.request = request;
        this.rule = PlacementRules.of(request.getRule());
        this.stop = stop;
        // Before the copy, which then has them.
        budgetsKnown = services.access().knowsBudgets();
        engine = services.access().engine().fork();
        revision = engine.revision();
        plans = services.plansOf(engine);
        pins = engine.pinPlans(stop, services.limits().newConstraints());
    }

    SimulateRemovalResponse run() {
        NodeRemovals removals = new NodeRemovals(
                engine,
                this,
                pins,
                rule,
                request.getNodeOrderList(),
                request.getGoneAtOnce(),
                Instant.now().getEpochSecond(),
                budgetsKnown,
                this);
        for (String node : request.getNodesList()) {
            io.evenkeel.v1.NodeRemoval removal = judge(node, removals);
            response.addRemovals(removal);
            bytes += removal.getSerializedSize();
            if (bytes > services.limits().responseBytes()) {
                throw RequestException.overLimit(
                        "nodes",
                        "must have at most " + services.limits().responseBytes() + " bytes in an answer about them; "
                                + "ask about fewer nodes at once");
            }
        }
        return response.setRevision(services.access().revision(revision))
                .addAllDestinations(destinations.keySet())
                .setDisruptionBudgetsUnknown(!budgetsKnown)
                .addAllNotScored(PlacementRules.notScored(rule, unjudgedInAll()))
                .build();
    }

    private int unjudgedInAll() {
        return unjudged.values().stream().reduce(0, (all, each) -> all | each);
    }

    private io.evenkeel.v1.NodeRemoval judge(String node, NodeRemovals removals) {
        io.evenkeel.v1.NodeRemoval.Builder result = io.evenkeel.v1.NodeRemoval.newBuilder();
        try {
            NodeRemoval removal = request.getTogether() ? removals.remove(node) : removals.judge(node);
            if (removal == null) {
                result.setError(ItemErrors.of(
                        ErrorReason.ERROR_REASON_NODE_UNKNOWN, "node " + Quotes.quoted(node) + " is unknown"));
            } else {
                write(removal, result);
            }
        } catch (RequestException e) {
            result.setError(ItemErrors.of(e));
        }
        return result.build();
    }

    private void write(NodeRemoval removal, io.evenkeel.v1.NodeRemoval.Builder result) {
        result.setRemovable(removal.isPossible())
                .setExceedsDisruptionBudget(removal.exceedsBudget())
                .setMirrorPodCount(removal.mirrors())
                .setDaemonPodCount(removal.daemons())
                .setGonePodCount(removal.gone());
        int rules = 0;
        for (int i = 0; i < removal.moves().size(); i++) {
            NodePod pod = removal.moves().get(i);
            rules |= Objects.requireNonNull(unjudged.get(pod.labelClass()));
            if (removal.isPossible()) {
                String node = removal.nodes().get(i);
                result.addPods(reference(pod))
                        .addPodDestinations(destinations.computeIfAbsent(node, name -> destinations.size()));
            }
        }
        result.addAllUnjudged(UnjudgedRules.list(rules));
        removal.blocking().forEach(blocker -> result.addBlockingPods(message(blocker)));
        if (removal.stuck() != null) {
            result.addBlockingPods(stuck);
        }
    }

    private static PodReference reference(NodePod pod) {
        return PodReferences.of(pod.uid(), pod.namespace(), pod.name());
    }

    private static BlockingPod.Builder message(NodeRemoval.Blocker blocker) {
        return BlockingPod.newBuilder()
                .setPod(reference(blocker.pod()))
                .setReason(reason(blocker.pod().drainability()))
                .addAllDisruptionBudgets(blocker.usedUp());
    }

    private static BlockingReason reason(Drainability of) {
        return switch (of) {
            case NOT_REPLICATED -> BlockingReason.BLOCKING_REASON_NOT_REPLICATED;
            case NOT_SAFE_TO_EVICT -> BlockingReason.BLOCKING_REASON_NOT_SAFE_TO_EVICT;
            case LOCAL_STORAGE -> BlockingReason.BLOCKING_REASON_LOCAL_STORAGE;
            case RUNS_TO_COMPLETION -> BlockingReason.BLOCKING_REASON_RUNS_TO_COMPLETION;
            // Only its budgets can prevent it.
            case MOVES -> BlockingReason.BLOCKING_REASON_NOT_ENOUGH_DISRUPTION_BUDGET;
            case MIRROR, DAEMON, SAFE_TO_EVICT ->
                throw new IllegalArgumentException(of + " does not prevent a removal");
        };
    }

    // ---- plans

    @Override
    public PodPlan of(NodePod pod, StoredPod stored) {
        try {
            PodPlans.Wanted wanted = plans.read(TemplateReader.pod(stored), EntryRules.FITTING, null);
            unjudged.put(pod.labelClass(), wanted.unjudged());
            return wanted.get(pins);
        } catch (InvalidObjectException e) {
            throw RequestException.invalid(e, called(stored));
        } catch (PlanLimitException e) {
            throw RequestException.overLimit(e, called(stored));
        }
    }

    @Override
    public List<ScoredPod.Preference> preferences(StoredPod stored) {
        try {
            return ScoredPodTranslator.preferences(
                    TemplateReader.pod(stored).getSpec(), services.limits().pod());
        } catch (InvalidObjectException e) {
            throw RequestException.invalid(e, called(stored));
        }
    }

    private static String called(StoredPod stored) {
        return "pod " + stored.namespace() + "/" + stored.name();
    }

    @Override
    public boolean dependsOnNode(StoredPod stored) {
        return TemplateReader.namesItsNode(stored);
    }

    // ---- pods that find no node

    @Override
    public void stuck(String node, NodePod pod, PodPlan plan, NodeSubset candidates, Answer answer) {
        int rules = Objects.requireNonNull(unjudged.get(pod.labelClass()));
        BlockingPod.Builder blocking = BlockingPod.newBuilder()
                .setPod(reference(pod))
                .setReason(BlockingReason.BLOCKING_REASON_NO_NODE)
                .setSummary(new NodeReasons(answer).summary(rules));
        if (explained++ < MAX_EXPLAINED) {
            ConstraintExplanation constraint = explain(pod, plan, candidates);
            if (constraint != null) {
                blocking.setConstraint(constraint);
            }
        }
        stuck = blocking.build();
    }

    private @Nullable ConstraintExplanation explain(NodePod pod, PodPlan plan, NodeSubset candidates) {
        StoredPod stored = Objects.requireNonNull(engine.pod(PodKey.ofUid(pod.uid())));
        return new PodExplainer(engine).decisiveConstraint(TemplateReader.pod(stored), plan, candidates, stop);
    }

    @Override
    public void close() {
        pins.close();
    }
}
