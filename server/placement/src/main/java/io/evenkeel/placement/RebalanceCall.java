package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.rebalance.RebalancePlan;
import io.evenkeel.engine.rebalance.Rebalancer;
import io.evenkeel.engine.skew.ConstraintCounts;
import io.evenkeel.engine.skew.KnownWorkloads;
import io.evenkeel.engine.skew.SurveyedWorkloads;
import io.evenkeel.engine.skew.WorkloadCounts;
import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.ScoredPodTranslator;
import io.evenkeel.objects.TemplateReader;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.explain.PodOwner;
import io.evenkeel.placement.explain.StoredPodReader;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.PodReferences;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.UnreadablePods;
import io.evenkeel.v1.UnrepairedCause;
import io.evenkeel.v1.UnrepairedConstraint;
import io.evenkeel.v1.WorkloadReference;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One call of Rebalance, with its own copy of the cluster. Not thread-safe. */
final class RebalanceCall implements Rebalancer.Pods, AutoCloseable {
    private final QueryServices services;
    private final RebalanceRequest request;
    private final StopSignal stop;
    private final boolean budgetsKnown;
    private final SpreadEngine engine;
    private final KindVersions versions;
    private final PodPlans plans;
    private final PlanPins pins;
    private final StoredPodReader reader;
    private final IdentityHashMap<PodPlan, WorkloadName> workloads = new IdentityHashMap<>();

    /** The rules that are not judged for the pods of a label class; see {@link UnjudgedRules}. */
    private final Map<Integer, Integer> unjudged = new HashMap<>();

    private final UnreadablePods.Builder unreadable = UnreadablePods.newBuilder();
    private Set<WorkloadName> considered = Set.of();

    /** Those of the considered workloads. */
    private Set<String> namespaces = Set.of();

    RebalanceCall(QueryServices services, RebalanceRequest request, StopSignal stop) {
        this.services = services;
        this.request = request;
        this.stop = stop;
        // Before the copy, which then has them.
        budgetsKnown = services.access().knowsBudgets();
        engine = services.access().engine().fork();
        versions = engine.versions();
        plans = services.plansOf(engine);
        pins = engine.pinPlans(stop, services.limits().newConstraints());
        reader = new StoredPodReader(
                new IncomingPodTranslator(services.limits().pod()), services.reader(), StoredPodReader.Readings.NONE);
    }

    RebalanceResponse run() {
        considered = considered();
        namespaces = considered.stream().map(WorkloadName::namespace).collect(Collectors.toSet());
        RebalancePlan plan = new Rebalancer(engine, this, request.getIncludeSoft(), budgetsKnown, stop).plan();
        RebalanceResponse.Builder response = RebalanceResponse.newBuilder()
                .setRevision(services.access().revision(plan.revision()))
                .setExcessBefore(plan.excessBefore())
                .setExcessAfter(plan.excess())
                .setImpossibleMoveCount(plan.impossible())
                .setMinMoveCount(plan.leastMoves())
                .setDisruptionBudgetsUnknown(!budgetsKnown)
                .addAllResourceVersions(services.access().versionsFor(versions, request.getFreshness()));
        if (unreadable.getPodCount() > 0) {
            response.setUnreadable(unreadable);
        }
        response.addAllUnjudged(UnjudgedRules.list(
                plan.moves().stream().mapToInt(this::unjudged).reduce(0, (all, each) -> all | each)));
        plan.unrepaired().forEach(each -> response.addUnrepaired(message(each)));
        Map<String, Integer> nodes = new HashMap<>();
        long bytes = response.build().getSerializedSize();
        for (RebalancePlan.Move move : plan.moves()) {
            PodMove message = message(move, nodes, response);
            bytes += message.getSerializedSize();
            if (bytes > services.limits().responseBytes()) {
                throw RequestException.overLimit(
                        "workloads",
                        "must have at most " + services.limits().responseBytes() + " bytes of moves; "
                                + "ask about fewer workloads at once");
            }
            response.addMoves(message);
        }
        return response.build();
    }

    private int unjudged(RebalancePlan.Move move) {
        return Objects.requireNonNull(unjudged.get(move.labelClass()));
    }

    private PodMove message(RebalancePlan.Move move, Map<String, Integer> nodes, RebalanceResponse.Builder response) {
        int rules = unjudged(move);
        return PodMove.newBuilder()
                .setPod(PodReferences.of(move.uid(), move.namespace(), move.name()))
                .setFrom(number(move.from(), nodes, response))
                .setTo(number(move.to(), nodes, response))
                .setRejected(move.isRejected())
                .setTogetherWithNext(move.isWithNext())
                .setSchedulerChoice(rules == 0 && move.isSchedulersChoice())
                .addAllUnjudged(UnjudgedRules.list(rules))
                .build();
    }

    private static int number(String node, Map<String, Integer> nodes, RebalanceResponse.Builder response) {
        return nodes.computeIfAbsent(node, name -> {
            response.addNodes(name);
            return nodes.size();
        });
    }

    private UnrepairedConstraint message(RebalancePlan.Unrepaired unrepaired) {
        WorkloadName workload = Objects.requireNonNull(workloads.get(unrepaired.pods()));
        return UnrepairedConstraint.newBuilder()
                .setWorkload(message(workload))
                .setIndex(unrepaired.index())
                .setTopologyKey(unrepaired.source().topologyKey())
                .setWhenUnsatisfiable(unrepaired.source().hard() ? "DoNotSchedule" : "ScheduleAnyway")
                .setExcess(unrepaired.excess())
                .setCause(cause(unrepaired.cause()))
                .build();
    }

    private static WorkloadReference message(WorkloadName workload) {
        return WorkloadReference.newBuilder()
                .setNamespace(workload.namespace())
                .setKind(workload.kind())
                .setName(workload.name())
                .build();
    }

    private static UnrepairedCause cause(RebalancePlan.Cause cause) {
        return switch (cause) {
            case COUNTS_NO_OWN_PODS -> UnrepairedCause.UNREPAIRED_CAUSE_COUNTS_NO_OWN_PODS;
            case TOO_FEW_DOMAINS -> UnrepairedCause.UNREPAIRED_CAUSE_TOO_FEW_DOMAINS;
            case OTHER_PODS -> UnrepairedCause.UNREPAIRED_CAUSE_OTHER_PODS;
            case DOMAIN_CLOSED -> UnrepairedCause.UNREPAIRED_CAUSE_DOMAIN_CLOSED;
            case NO_ROOM -> UnrepairedCause.UNREPAIRED_CAUSE_NO_ROOM;
            case IMMOVABLE_PODS -> UnrepairedCause.UNREPAIRED_CAUSE_IMMOVABLE_PODS;
            case CONFLICTS -> UnrepairedCause.UNREPAIRED_CAUSE_CONFLICTS;
            case IMPOSSIBLE_MOVES -> UnrepairedCause.UNREPAIRED_CAUSE_IMPOSSIBLE_MOVES;
        };
    }

    // ---- the workloads

    /**
     * The workloads whose pods may move: those of the request that violate a constraint and, in a namespace with such a
     * workload, all if a constraint also counts pods of another one.
     */
    private Set<WorkloadName> considered() {
        // Not Set.copyOf: callers can choose names of equal String.hashCode, and its sets then search one cell after
        // another.
        Set<String> asked = new HashSet<>(request.getNamespacesList());
        SurveyedWorkloads survey = engine.survey(
                reader,
                namespace -> asked.isEmpty() || asked.contains(namespace),
                KnownWorkloads.NONE,
                workload -> false,
                domains -> {},
                stop);
        for (int i = 0; i < request.getNamespacesCount(); i++) {
            if (!survey.namespaces().contains(request.getNamespaces(i))) {
                throw RequestException.invalid(
                        "namespaces[" + i + "]",
                        "must be a namespace that has pods, was " + Quotes.quoted(request.getNamespaces(i)));
            }
        }
        List<WorkloadName> named =
                request.getWorkloadsList().stream().map(PodOwner::named).toList();
        Set<WorkloadName> wanted = Set.copyOf(named);
        Map<WorkloadName, WorkloadCounts> found = new HashMap<>();
        for (WorkloadCounts workload : survey.workloads()) {
            if (wanted.isEmpty() || wanted.contains(workload.name())) {
                found.put(workload.name(), workload);
                workload.templates().stream()
                        .filter(template -> !template.error().isEmpty())
                        .forEach(template ->
                                addUnreadable(workload.name(), template.pods() - template.pending(), template.error()));
            }
        }
        for (int i = 0; i < named.size(); i++) {
            if (!found.containsKey(named.get(i))) {
                throw RequestException.invalid(
                        "workloads[" + i + "]", "must be a workload with several pods or with constraints");
            }
        }
        Set<WorkloadName> violating = new HashSet<>();
        Set<String> shared = new HashSet<>();
        found.forEach((name, workload) -> {
            if (has(workload, ConstraintCounts::isViolated)) {
                violating.add(name);
            }
            if (has(workload, constraint -> constraint.others() > 0)) {
                shared.add(name.namespace());
            }
        });
        shared.retainAll(violating.stream().map(WorkloadName::namespace).collect(Collectors.toSet()));
        found.keySet().removeIf(name -> !violating.contains(name) && !shared.contains(name.namespace()));
        return found.keySet();
    }

    /** @param count how many of its pods on nodes cannot be read; pending ones would not move anyway */
    private void addUnreadable(WorkloadName workload, int count, String error) {
        if (unreadable.getPodCount() == 0 && count > 0) {
            unreadable.setExample(message(workload)).setError(error);
        }
        unreadable.setPodCount(unreadable.getPodCount() + count);
    }

    private boolean has(WorkloadCounts workload, Predicate<ConstraintCounts> what) {
        return workload.templates().stream()
                .flatMap(template -> template.constraints().stream())
                .filter(constraint ->
                        constraint.source() != null && (constraint.source().hard() || request.getIncludeSoft()))
                .anyMatch(what);
    }

    // ---- plans

    @Override
    public @Nullable PodPlan plan(StoredPod stored, int labelClass, int count) {
        if (!namespaces.contains(stored.namespace())) {
            return null;
        }
        Pod pod = TemplateReader.pod(stored);
        WorkloadName workload = PodOwner.of(pod.getMetadata()).workload(stored.namespace());
        if (workload == null || !considered.contains(workload) || TemplateReader.namesItsNode(stored)) {
            return null;
        }
        try {
            PodPlans.Wanted wanted = plans.read(pod, EntryRules.FITTING, null);
            PodPlan plan = wanted.get(pins);
            workloads.put(plan, workload);
            unjudged.put(labelClass, wanted.unjudged());
            return plan;
        } catch (InvalidObjectException e) {
            // Those whose constraints cannot be read were added before.
            if (reader.read(stored).error().isEmpty()) {
                addUnreadable(workload, count, String.valueOf(e.getMessage()));
            }
            return null;
        } catch (PlanLimitException e) {
            throw RequestException.overLimit(e, "workloads");
        }
    }

    @Override
    public boolean runsToCompletion(StoredPod stored) {
        return PodOwner.of(TemplateReader.pod(stored).getMetadata()).ofJob();
    }

    @Override
    public List<ScoredPod.Preference> preferences(StoredPod stored) {
        try {
            return ScoredPodTranslator.preferences(
                    TemplateReader.pod(stored).getSpec(), services.limits().pod());
        } catch (InvalidObjectException e) {
            return List.of();
        }
    }

    @Override
    public void close() {
        pins.close();
    }
}
