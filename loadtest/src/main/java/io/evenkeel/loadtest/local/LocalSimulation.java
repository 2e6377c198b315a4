package io.evenkeel.loadtest.local;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.engine.simulation.Schedule;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.engine.simulation.Scheduler;
import io.evenkeel.engine.simulation.SimulatedCluster;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A simulated cluster that begins as a live one. Not thread-safe. */
public final class LocalSimulation {
    /** From a separate base UID, each item makes the UIDs of its pods. */
    private static final int UID_SHIFT = 20;

    private final SimulatedCluster cluster;
    private long uids;

    public LocalSimulation(SpreadEngine live) {
        cluster = new SimulatedCluster(live.fork());
    }

    public void fork() {
        cluster.fork();
    }

    public void revert() {
        cluster.revert();
    }

    /** The compiled plan of a pod, under kube-scheduler's System defaults. */
    public PodPlan plan(Pod pod) {
        return LocalEngine.plan(cluster.engine(), pod);
    }

    /**
     * Pods to place.
     *
     * @param count how many, below 2^20
     * @param node the only node to try; empty for any
     */
    public ScheduledPods item(PodPlan plan, Pod pod, int count, String node) {
        Pod.Builder named = pod.toBuilder();
        named.getMetadataBuilder()
                .setUid(new UUID(1, ++uids << UID_SHIFT).toString())
                .setName(pod.getMetadata().getName() + "-" + uids);
        try {
            return new ScheduledPods(
                    plan, ScoredPod.NOTHING, PodScanner.record(named.build(), Change.ADDED), count, node);
        } catch (InvalidObjectException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Places pods on the nodes with the best score, the first by name among equal ones, as far as there are any. */
    public Schedule place(List<ScheduledPods> items) {
        return place(items, PlacementRule.SPREAD);
    }

    /** Places pods by a rule, as far as there are nodes for them. */
    public Schedule place(List<ScheduledPods> items, PlacementRule rule) {
        return cluster.schedule(
                new Scheduler(cluster.engine(), items, rule, List.of(), (item, answer) -> false, StopSignal.NEVER));
    }

    /** The names of the nodes of the pods. */
    public static List<String> nodesOf(Schedule schedule) {
        List<String> nodes = new ArrayList<>();
        for (int node : schedule.nodes()) {
            nodes.add(String.valueOf(schedule.names().name(node)));
        }
        return nodes;
    }
}
