package io.evenkeel.engine.simulation;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Places pods one after another by the rules {@link EntryRules#FITTING} and the constraints. Each pod counts before the
 * next one is judged.
 *
 * <p>Pods are judged and placed within one batch of changes, so that no event comes in between. In a simulated cluster,
 * the batch ends when its time is up, and another one continues.
 */
public final class Scheduler {
    private final SpreadEngine engine;
    private final List<ScheduledPods> items;
    private final NodeChoice choice;
    private final RefusalListener refusals;
    private final StopSignal stop;
    private final List<PodPlan> plans = new ArrayList<>();
    private final int[] placed;
    private final IntArrayList nodes = new IntArrayList();

    /** The names of the nodes when the last pod was placed. */
    private @Nullable NodeNameTable lastNames;

    private @Nullable ReplicaRecords replicas;
    private int next;
    private final IntArrayList refused = new IntArrayList();

    /**
     * @param rule which of the nodes that a pod may go to it is placed on
     * @param order the names of the nodes that come first in the order of nodes; the others follow by name, in byte
     *     order
     * @param refusals receives the pods that were not placed
     */
    public Scheduler(
            SpreadEngine engine,
            List<ScheduledPods> items,
            PlacementRule rule,
            List<String> order,
            RefusalListener refusals,
            StopSignal stop) {
        this.engine = engine;
        this.items = items;
        this.refusals = refusals;
        this.stop = stop;
        choice = new NodeChoice(rule, order);
        items.forEach(item -> plans.add(item.plan()));
        placed = new int[items.size()];
    }

    /** Counts a pod on the chosen node; returns false if that is not possible. */
    @FunctionalInterface
    private interface Placing {
        boolean place(PodRecord pod, int slot);
    }

    // ---- a simulated cluster

    /** Places the pods in an engine that nothing else writes to. If it is stopped or fails, none of them stays. */
    Schedule simulate() {
        boolean done = false;
        try (PlanPins pins = engine.pinPlans(stop, PlanPins.UNLIMITED)) {
            while (next < items.size()) {
                stop.check();
                plans.set(next, pins.renew(plans.get(next)));
                engine.judgeAndWrite((writer, evaluation) -> placeSome(writer, evaluation, true, (pod, slot) -> {
                    choice.place(slot);
                    writer.add(pod, slot);
                    return true;
                }));
                reportRefusals();
            }
            done = true;
        } finally {
            if (!done) {
                engine.write(this::undo);
            }
        }
        return result(engine.revision());
    }

    /** Removes all pods that {@link #simulate} has placed. */
    private void undo(ClusterWriter writer) {
        undo().forEach(undo -> undo.accept(writer));
    }

    /** For each item of which {@link #simulate} has placed pods, what removes them. Holds only the pods' records. */
    List<Consumer<ClusterWriter>> undo() {
        List<Consumer<ClusterWriter>> undo = new ArrayList<>(placed.length);
        for (int item = 0; item < placed.length; item++) {
            int last = placed[item];
            if (last > 0) {
                PodRecord pod = items.get(item).pod();
                int count = items.get(item).count();
                undo.add(
                        count == 1
                                ? writer -> writer.apply(Change.DELETED, pod)
                                : writer -> {
                                    ReplicaRecords pods = new ReplicaRecords(pod, count);
                                    for (int number = last; number > 0; number--) {
                                        writer.apply(Change.DELETED, pods.number(number));
                                    }
                                });
            }
        }
        return undo;
    }

    // ---- the live cluster

    /**
     * Places the pods in a live engine, as assumptions. All are judged and assumed in one batch, so that two callers
     * never take the same room. Readers wait meanwhile, so there should not be many pods. Each item must be one pod.
     *
     * @param timeToLive the time after which an assumption expires unless the watch confirms it; null for never
     */
    public Schedule assume(@Nullable Duration timeToLive) {
        long[] revision = {engine.revision()};
        try (PlanPins pins = engine.pinPlans(stop, PlanPins.UNLIMITED)) {
            while (next < items.size()) {
                stop.check();
                plans.replaceAll(pins::renew);
                revision[0] = engine.judgeAndWrite((writer, evaluation) -> {
                    if (plans.stream().allMatch(PodPlan::isCurrent)) {
                        assumeAll(writer, evaluation, timeToLive);
                    }
                });
            }
        }
        reportRefusals();
        return result(revision[0]);
    }

    private void assumeAll(ClusterWriter writer, PlanEvaluation evaluation, @Nullable Duration timeToLive) {
        boolean done = false;
        try {
            placeSome(writer, evaluation, false, (pod, slot) -> {
                String node = String.valueOf(evaluation.nodeNames().name(slot));
                Assumption assumption = writer.assume(pod, node, timeToLive);
                if (!assumption.isAssumed()) {
                    refusals.notAssumed(next, assumption);
                }
                return assumption.isAssumed();
            });
            done = true;
        } finally {
            for (int item = 0; item < items.size() && !done; item++) {
                if (placed[item] > 0) {
                    writer.forget(items.get(item).pod().uid());
                }
            }
        }
    }

    // ---- both

    /** Places pods until all are placed, or the batch must end: its time is up, or a plan is stale. */
    private void placeSome(ClusterWriter writer, PlanEvaluation evaluation, boolean inSlices, Placing placing) {
        lastNames = evaluation.nodeNames();
        choice.forget();
        boolean ends = false;
        while (next < items.size() && plans.get(next).isCurrent() && !ends) {
            boolean isPlaced = placeOne(evaluation, placing);
            if (!isPlaced || placed[next] == items.get(next).count()) {
                replicas = null;
                next++;
            }
            ends = inSlices && (writer.isTimeUp() || !refused.isEmpty());
        }
    }

    private boolean placeOne(PlanEvaluation evaluation, Placing placing) {
        ScheduledPods item = items.get(next);
        ReplicaRecords pods = replicas == null ? new ReplicaRecords(item.pod(), item.count()) : replicas;
        replicas = pods;
        int slot = choose(evaluation, plans.get(next), item);
        if (slot == NodeSlots.NONE) {
            if (refusals.refused(next, choice.answer())) {
                refused.addInt(next);
            }
            return false;
        }
        if (!placing.place(pods.number(placed[next] + 1), slot)) {
            return false;
        }
        placed[next]++;
        nodes.addInt(slot);
        return true;
    }

    private int choose(PlanEvaluation evaluation, PodPlan plan, ScheduledPods item) {
        return item.node().isEmpty()
                ? choice.among(NodeSubset.ALL, plan, item.scored(), evaluation)
                : choice.only(item.node(), plan, evaluation);
    }

    private void reportRefusals() {
        refused.forEachInt(refusals::afterRefusal);
        refused.clear();
    }

    private Schedule result(long revision) {
        NodeNameTable names = lastNames == null ? engine.nodeNames() : lastNames;
        return new Schedule(revision, names, Arrays.copyOf(placed, placed.length), nodes.toIntArray());
    }
}
