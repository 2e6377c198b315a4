package io.evenkeel.engine.simulation;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.Drainability;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether nodes can be removed, one after another, as cluster-autoscaler's RemovalSimulator does: all pods leave
 * the node, and those that must move are placed one by one, in the order of their namespaces and names, each counted
 * before the next. Meanwhile the node stays as an empty node with the taint of cluster-autoscaler, so that it is still
 * a domain for constraints that ignore taints; then it is gone. Pods that end with their node are pending afterwards. A
 * pod stays if one of its disruption budgets allows no more evictions.
 *
 * <p>Not thread-safe. If it is stopped or fails, the state of the engine is undefined.
 */
public final class NodeRemovals {
    private static final NodeTaint TO_BE_DELETED = new NodeTaint("ToBeDeletedByClusterAutoscaler", "", "NoSchedule");

    private static final Comparator<NodePod> BY_NAME = Comparator.comparing(NodePod::namespace)
            .thenComparing(NodePod::name)
            .thenComparing(NodePod::uid);

    /** Finds the plans of stored pods. */
    public interface Plans {
        /**
         * The plan for a pod as if it were pending, of the engine and pinned. Other pods of its label class share the
         * plan, unless it {@link #dependsOnNode}.
         *
         * @param stored the same pod
         */
        PodPlan of(NodePod pod, StoredPod stored);

        /** Whether the plan also depends on the node that the pod is on. */
        boolean dependsOnNode(StoredPod stored);

        /** The preferences of a pod. Called only with the rule {@link PlacementRule#STOCK}, under the engine's lock. */
        List<ScoredPod.Preference> preferences(StoredPod stored);
    }

    /** Receives the pods that find no node. */
    @FunctionalInterface
    public interface StuckPodListener {
        /**
         * Called while the engine is still in the state in which the pod finds no node.
         *
         * @param node the node to remove
         * @param candidates the nodes that were tried
         * @param answer the verdict on each of them
         */
        void stuck(String node, NodePod pod, PodPlan plan, NodeSubset candidates, Answer answer);
    }

    private final SpreadEngine engine;
    private final Plans plans;
    private final PlanPins pins;
    private final NodeChoice choice;
    private final boolean goneAtOnce;
    private final long now;
    private final StuckPodListener listener;
    private final RemainingBudgets budgets;
    private final PlacementRule rule;
    private final Int2ObjectHashMap<PodPlan> plansOfClasses = new Int2ObjectHashMap<>();

    /**
     * @param engine a fork that nothing else writes to
     * @param pins of the engine
     * @param order the names of the nodes that come first in the order of nodes
     * @param goneAtOnce whether a node is gone before its pods are placed
     * @param now the time, in seconds since 1970
     * @param budgetsKnown whether the engine has all disruption budgets; otherwise none of them is respected
     */
    public NodeRemovals(
            SpreadEngine engine,
            Plans plans,
            PlanPins pins,
            PlacementRule rule,
            List<String> order,
            boolean goneAtOnce,
            long now,
            boolean budgetsKnown,
            StuckPodListener listener) {
        this.engine = engine;
        this.plans = plans;
        this.pins = pins;
        this.goneAtOnce = goneAtOnce;
        this.now = now;
        this.listener = listener;
        this.rule = rule;
        choice = new NodeChoice(rule, order);
        budgets = engine.view(cluster -> new RemainingBudgets(budgetsKnown ? cluster.budgets() : List.of()));
    }

    /** Judges a node, and then restores the cluster and the budgets. Returns null if no node has that name. */
    public @Nullable NodeRemoval judge(String node) {
        return attempt(node, false);
    }

    /** The same, but if the node can be removed, it stays removed, and its pods stay on their new nodes. */
    public @Nullable NodeRemoval remove(String node) {
        return attempt(node, true);
    }

    private @Nullable NodeRemoval attempt(String name, boolean stays) {
        StopSignal stop = pins.stop();
        stop.check();
        NodeObject node = engine.node(name);
        if (node == null) {
            return null;
        }
        Attempt attempt = engine.view(cluster -> new Attempt(node, cluster));
        if (attempt.blocking.isEmpty()) {
            attempt.compile();
            engine.judgeAndWrite(attempt::empty);
            while (!attempt.isDone()) {
                stop.check();
                attempt.renewNext();
                engine.judgeAndWrite(attempt::place);
            }
            attempt.report();
            engine.judgeAndWrite(attempt.stuck == null && stays ? attempt::leaveEmpty : attempt::restore);
            attempt.takeBudgets(stays);
        }
        return attempt.result();
    }

    /** The removal of one node. */
    private final class Attempt {
        private final NodeObject node;

        /** All pods that are on the node and have not finished. */
        private final List<NodePod> pods = new ArrayList<>();

        private final List<NodePod> moving = new ArrayList<>();
        private final List<PodPlan> plansOfMoving = new ArrayList<>();
        private final List<ScoredPod> scoredOfMoving = new ArrayList<>();
        private final List<NodeRemoval.Blocker> blocking = new ArrayList<>();
        private final List<String> nodes = new ArrayList<>();
        private int mirrors;
        private int daemons;
        private int gone;
        private boolean exceedsBudget;
        private @Nullable NodePod stuck;
        private NodeSubset stuckAt = NodeSubset.ALL;
        private @Nullable NodeSubset others;

        /** The slot of the node; NONE while it is gone. */
        private int ownSlot;

        Attempt(NodeObject node, ClusterView cluster) {
            this.node = node;
            ownSlot = cluster.slotOfNode(node.name());
            cluster.forEachOn(ownSlot, pod -> {
                if (!cluster.isFinished(pod)) {
                    pods.add(NodePod.of(pod, cluster));
                }
            });
            pods.sort(BY_NAME);
            for (NodePod pod : pods) {
                long goneAt = cluster.goneAt(pod.id());
                if (pod.drainability() == Drainability.MIRROR) {
                    mirrors++;
                } else if (goneAt != 0 && goneAt < now) {
                    gone++;
                } else if (pod.drainability() == Drainability.DAEMON) {
                    daemons++;
                } else if (pod.drainability().blocks()) {
                    blocking.add(new NodeRemoval.Blocker(pod, List.of()));
                } else {
                    List<String> usedUp = budgets.usedUp(pod, cluster);
                    if (usedUp.isEmpty() || pod.drainability() == Drainability.SAFE_TO_EVICT) {
                        moving.add(pod);
                    } else {
                        blocking.add(new NodeRemoval.Blocker(pod, usedUp));
                    }
                }
            }
        }

        /** Finds the plan of each pod that moves. */
        void compile() {
            for (NodePod pod : moving) {
                PodPlan known = plansOfClasses.get(pod.labelClass());
                if (known == null) {
                    StoredPod stored = engine.view(cluster -> cluster.pod(pod.id()));
                    known = plans.of(pod, stored);
                    if (!plans.dependsOnNode(stored)) {
                        plansOfClasses.put(pod.labelClass(), known);
                    }
                }
                plansOfMoving.add(known);
                scoredOfMoving.add(rule == PlacementRule.STOCK ? scored(pod) : ScoredPod.NOTHING);
            }
        }

        /** It counts as asking for what it counts as taking now. */
        private ScoredPod scored(NodePod pod) {
            return engine.view(cluster -> new ScoredPod(
                    plans.preferences(cluster.pod(pod.id())),
                    cluster.requests(pod.id()).nonZero()));
        }

        /** Takes all pods from the node. */
        void empty(ClusterWriter writer, PlanEvaluation evaluation) {
            pods.forEach(pod -> writer.move(pod.id(), NodeSlots.NONE));
            if (goneAtOnce) {
                writer.apply(Change.DELETED, node);
                ownSlot = NodeSlots.NONE;
                return;
            }
            List<NodeTaint> taints = new ArrayList<>(node.taints());
            taints.add(TO_BE_DELETED);
            writer.apply(Change.MODIFIED, with(taints));
        }

        private NodeObject with(List<NodeTaint> taints) {
            // An unknown version always counts as newer.
            return new NodeObject(
                    node.name(), node.uid(), 0, node.labels(), taints, node.unschedulable(), node.allocatable());
        }

        boolean isDone() {
            return stuck != null || nodes.size() == moving.size();
        }

        void renewNext() {
            int next = nodes.size();
            PodPlan plan = plansOfMoving.get(next);
            PodPlan valid = pins.renew(plan);
            if (valid != plan) {
                plansOfMoving.set(next, valid);
                plansOfClasses.replace(moving.get(next).labelClass(), valid);
            }
        }

        /** Places pods until one finds no node, or has a stale plan. */
        void place(ClusterWriter writer, PlanEvaluation evaluation) {
            while (!isDone() && plansOfMoving.get(nodes.size()).isCurrent()) {
                NodePod pod = moving.get(nodes.size());
                PodPlan plan = plansOfMoving.get(nodes.size());
                NodeSubset candidates = candidates(plan, evaluation);
                int slot = choice.among(candidates, plan, scoredOfMoving.get(nodes.size()), evaluation);
                if (slot == NodeSlots.NONE) {
                    stuck = pod;
                    stuckAt = candidates;
                } else {
                    writer.move(pod.id(), slot);
                    nodes.add(Objects.requireNonNull(evaluation.nodeNames().name(slot)));
                }
            }
        }

        /** All nodes, except the node itself if the pod tolerates its taint. */
        private NodeSubset candidates(PodPlan plan, PlanEvaluation evaluation) {
            if (ownSlot == NodeSlots.NONE || evaluation.reasonAt(plan, ownSlot) != null) {
                return NodeSubset.ALL;
            }
            NodeSubset known = others;
            if (known == null) {
                NodeNameTable names = evaluation.nodeNames();
                long[] slots = new long[NodeBits.words(names.limit())];
                for (int slot : names.byName()) {
                    NodeBits.set(slots, slot);
                }
                NodeBits.clear(slots, ownSlot);
                known = NodeSubset.ofSlots(names.revision(), slots);
                others = known;
            }
            return known;
        }

        void report() {
            NodePod pod = stuck;
            if (pod != null) {
                listener.stuck(node.name(), pod, plansOfMoving.get(nodes.size()), stuckAt, choice.answer());
            }
        }

        /** Lets the emptied node go. */
        void leaveEmpty(ClusterWriter writer, PlanEvaluation evaluation) {
            writer.apply(Change.DELETED, node);
        }

        /** Puts the node and its pods back. */
        void restore(ClusterWriter writer, PlanEvaluation evaluation) {
            writer.apply(goneAtOnce ? Change.ADDED : Change.MODIFIED, with(node.taints()));
            int slot = evaluation.slotOf(node.name());
            pods.forEach(pod -> writer.move(pod.id(), slot));
        }

        /** @param stays whether the pods stay on their new nodes */
        void takeBudgets(boolean stays) {
            if (stuck == null) {
                exceedsBudget = budgets.take(moving);
                if (!stays) {
                    budgets.giveBack(moving);
                }
            }
        }

        NodeRemoval result() {
            List<NodePod> moves = moving.subList(0, nodes.size());
            return new NodeRemoval(moves, nodes, blocking, stuck, exceedsBudget, mirrors, daemons, gone);
        }
    }
}
