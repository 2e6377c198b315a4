package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.estimate.Plan;
import io.evenkeel.engine.estimate.Unplaced;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.pending.NodeExample;
import io.evenkeel.engine.pending.PendingProblem;
import io.evenkeel.engine.pending.PlannedPods;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.engine.simulation.RefusalListener;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.engine.simulation.Scheduler;
import io.evenkeel.engine.simulation.SimulatedCluster;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodStep;
import io.evenkeel.v1.UnjudgedRule;
import io.evenkeel.v1.UnplacedCause;
import io.evenkeel.v1.UnplacedPods;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A private copy of a cluster for one call about pending pods. It describes them as a problem, and checks plans by
 * placing pods in the copy, one by one. Not thread-safe.
 */
final class PendingCluster implements AutoCloseable {
    private final SimulatedCluster cluster;
    private final SpreadEngine engine;
    private final long revision;
    private final StopSignal stop;
    private final PlanPins pins;
    private final HypotheticalObjects objects = new HypotheticalObjects();
    private final List<PendingPods> asked;
    private final List<PlannedPods> planned = new ArrayList<>();

    /** A pod of each entry; those that are placed are copies of it. */
    private final List<PodRecord> records = new ArrayList<>();

    private final Answer answer = new Answer();

    /** The rules that are not judged for any of the pods; see {@link UnjudgedRules}. */
    private int unjudged;

    /** Example nodes, whose labels name domains. */
    private final Map<String, NodeObject> examples = new HashMap<>();

    /**
     * Copies the cluster and compiles the pods.
     *
     * @param own the default constraints of the request, or null
     */
    PendingCluster(QueryServices services, List<PendingPods> asked, @Nullable SpreadDefaults own, StopSignal stop) {
        this.asked = asked;
        this.stop = stop;
        engine = services.access().engine().fork();
        revision = engine.revision();
        cluster = new SimulatedCluster(engine);
        pins = engine.pinPlans(stop, services.limits().newConstraints());
        PodPlans plans = services.plansOf(engine);
        for (int i = 0; i < asked.size(); i++) {
            stop.check();
            String field = "pods[" + i + "].pod";
            Pod pod = asked.get(i).getPod();
            try {
                PodPlans.Wanted wanted = plans.readWhole(pod, own, null);
                planned.add(new PlannedPods(
                        wanted.get(pins), Math.max(1, asked.get(i).getCount())));
                unjudged |= wanted.unjudged();
            } catch (InvalidObjectException e) {
                throw RequestException.invalid(e, field);
            } catch (PlanLimitException e) {
                throw RequestException.overLimit(e, field + ".spec.topologySpreadConstraints");
            }
            // Rejects what cannot be placed before anything is computed.
            records.add(record(i));
        }
    }

    /** Rejects too many pods, and counts below 0. */
    static void admit(List<PendingPods> pods, Limits limits) {
        Limits.admit(pods.size(), limits.pods(), "pods");
        long count = 0;
        for (int i = 0; i < pods.size(); i++) {
            count += Limits.orDefault(pods.get(i).getCount(), 1, "pods[" + i + "].count");
        }
        if (count > limits.events()) {
            throw RequestException.overLimit(
                    "pods", "must have counts of at most " + limits.events() + " in total, had " + count);
        }
        Limits.admit(
                pods.stream()
                        .mapToInt(each -> each.getPod().getSpec().getTopologySpreadConstraintsCount())
                        .sum(),
                limits.constraints(),
                "pods");
    }

    /** The revision of the state that was copied. */
    long revision() {
        return revision;
    }

    /** The rules that can exclude nodes for any of the pods but are not judged. */
    List<UnjudgedRule> unjudged() {
        return UnjudgedRules.list(unjudged);
    }

    /**
     * The problem of the pods.
     *
     * @param groups nodes that may be added
     */
    PendingProblem problem(List<GroupTemplate> groups, List<NodeSubset> sets, boolean templateDomainsCount) {
        cluster.fork();
        List<NodeExample> newNodes = new ArrayList<>();
        for (GroupTemplate group : groups) {
            String name = group.names(engine, 1).get(0);
            examples.put(
                    name, group.addTo(cluster, objects, List.of(name), stop).get(0));
            newNodes.add(new NodeExample(name, group.max(), group.price()));
        }
        PendingProblem problem = engine.pending(planned, newNodes, sets, templateDomainsCount, stop);
        cluster.revert();
        return problem;
    }

    /**
     * Whether constraints of the pods count daemon pods of groups. They are not part of the problem, so that its bounds
     * do not hold.
     */
    boolean countsDaemonPods(List<GroupTemplate> groups) {
        return groups.stream()
                .flatMap(group -> group.group().getDaemonPodsList().stream())
                .map(Pod::getMetadata)
                .anyMatch(daemon -> planned.stream()
                        .anyMatch(each ->
                                each.plan().counts(HypotheticalObjects.namespace(daemon), daemon.getLabelsMap())));
    }

    /** Adds new nodes, and returns their names. */
    List<String> addNodes(GroupTemplate group, int count) {
        List<String> names = group.names(engine, count);
        group.addTo(cluster, objects, names, stop);
        return names;
    }

    // ---- placing pods

    /** Begins a fork, which {@link #revert} ends. */
    void fork() {
        cluster.fork();
    }

    void revert() {
        cluster.revert();
    }

    /**
     * Makes the steps of a plan, each only if the rules admit it. A pod that they do not admit goes to another node.
     *
     * @param names the names of all nodes of the plan
     * @param others the nodes to which such a pod may go
     * @return how many pods went to another node, or nowhere
     */
    int follow(Plan plan, List<String> names, NodeSubset others, List<PodStep> steps) {
        List<ScheduledPods> pods = new ArrayList<>();
        for (int step = 0; step < plan.placed(); step++) {
            PodPlan its = planned.get(plan.shape(step)).plan();
            String node = names.get(plan.node(step));
            pods.add(new ScheduledPods(its, ScoredPod.NOTHING, newPod(plan.shape(step)), 1, node));
        }
        Correction correction = new Correction(plan, pods, others);
        cluster.schedule(new Scheduler(engine, pods, PlacementRule.FIRST, List.of(), correction, stop));
        for (int step = 0; step < pods.size(); step++) {
            String node = correction.nodes.getOrDefault(step, pods.get(step).node());
            if (node != null) {
                steps.add(step(plan.shape(step), node));
            }
        }
        return correction.nodes.size();
    }

    /** Places pods that the nodes of their steps do not admit. */
    private final class Correction implements RefusalListener {
        private final Plan plan;
        private final List<ScheduledPods> pods;
        private final NodeSubset others;

        /** The other node of each step that was not admitted; null if there is none. */
        private final Map<Integer, @Nullable String> nodes = new HashMap<>();

        Correction(Plan plan, List<ScheduledPods> pods, NodeSubset others) {
            this.plan = plan;
            this.pods = pods;
            this.others = others;
        }

        @Override
        public boolean refused(int step, Answer verdict) {
            return true;
        }

        @Override
        public void afterRefusal(int step) {
            String node = best(plan.shape(step), others);
            if (node != null) {
                cluster.place(pods.get(step).pod(), node);
            }
            nodes.put(step, node);
        }
    }

    /** Makes all steps of a plan at once; returns whether all rules hold at the end. */
    boolean reaches(Plan plan, List<String> names, List<PodStep> steps) {
        List<PodRecord> placed = new ArrayList<>();
        for (int step = 0; step < plan.placed(); step++) {
            PodRecord pod = newPod(plan.shape(step));
            String node = names.get(plan.node(step));
            cluster.place(pod, node);
            placed.add(pod);
            steps.add(step(plan.shape(step), node));
        }
        // A pod that is taken out would be admitted again exactly if the end state satisfies its constraints.
        for (int step = 0; step < placed.size(); step++) {
            PodRecord pod = placed.get(step);
            String node = names.get(plan.node(step));
            cluster.remove(PodKey.ofUid(pod.uid()));
            if (!admits(plan.shape(step), node)) {
                return false;
            }
            cluster.place(pod, node);
        }
        return true;
    }

    private boolean admits(int pods, String node) {
        return ask(pods, Question.filter(NodeSubset.named(List.of(node)))).passedCount() == 1;
    }

    private @Nullable String best(int pods, NodeSubset of) {
        Answer best = ask(pods, Question.best(of, 1));
        return best.bestCount() == 0 ? null : best.names().name(best.best(0));
    }

    private Answer ask(int pods, Question question) {
        stop.check();
        engine.evaluate(planned.get(pods).plan(), question.under(EntryRules.FITTING), answer);
        return answer;
    }

    private static PodStep step(int pods, String node) {
        return PodStep.newBuilder().setPods(pods).setNode(node).build();
    }

    /** A pod of an entry, which the cluster does not have. */
    private PodRecord newPod(int pods) {
        return records.get(pods).withUid(objects.newUid());
    }

    private PodRecord record(int pods) {
        String uid = objects.newUid();
        Pod.Builder pod = asked.get(pods).getPod().toBuilder().clearStatus();
        pod.getMetadataBuilder().clearDeletionTimestamp();
        return HypotheticalObjects.pod(pod.build(), uid, uid, "", "pods[" + pods + "].pod");
    }

    // ---- causes

    /** @param newNodes the names of all new nodes of the plan */
    UnplacedPods message(Unplaced why, PendingProblem problem, List<String> newNodes) {
        UnplacedPods.Builder message = UnplacedPods.newBuilder()
                .setPods(why.shape())
                .setCount(why.pods())
                .setCause(cause(why.cause()));
        if (why.cause() == Unplaced.Cause.SPREAD) {
            PendingProblem.Constraint constraint =
                    problem.constraints().get(why.shape()).get(why.constraint());
            message.setConstraint(constraint.index()).setTopologyKey(constraint.label());
            int domain = why.minimumDomain();
            if (domain >= 0) {
                int known = constraint.members().size();
                message.setMinimumDomain(
                                domain < known
                                        ? value(constraint.members().get(domain), constraint.label())
                                        : newNodes.get(domain - known))
                        .setMinimumDomainCause(cause(why.minimumDomainCause()));
            }
        }
        return message.build();
    }

    private String value(String node, String label) {
        NodeObject example = examples.get(node);
        NodeObject object = example == null ? engine.node(node) : example;
        return object == null ? "" : object.labels().getOrDefault(label, "");
    }

    private static UnplacedCause cause(Unplaced.Cause cause) {
        return switch (cause) {
            case NO_NODE -> UnplacedCause.UNPLACED_CAUSE_NO_NODE;
            case NOT_ENTERABLE -> UnplacedCause.UNPLACED_CAUSE_NOT_ENTERABLE;
            case NO_ROOM -> UnplacedCause.UNPLACED_CAUSE_NO_ROOM;
            case MAX_COUNT -> UnplacedCause.UNPLACED_CAUSE_MAX_COUNT;
            case NO_PLAN -> UnplacedCause.UNPLACED_CAUSE_NO_PLAN;
            case SPREAD -> UnplacedCause.UNPLACED_CAUSE_MAX_SKEW;
        };
    }

    @Override
    public void close() {
        pins.close();
    }
}
