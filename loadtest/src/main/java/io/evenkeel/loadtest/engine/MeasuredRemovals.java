package io.evenkeel.loadtest.engine;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.simulation.NodePod;
import io.evenkeel.engine.simulation.NodeRemoval;
import io.evenkeel.engine.simulation.NodeRemovals;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.objects.TemplateReader;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Removes nodes from a fork of an engine. */
final class MeasuredRemovals implements NodeRemovals.Plans, AutoCloseable {
    private final IncomingPodTranslator translator = new IncomingPodTranslator(PodLimits.DEFAULT);
    private final PlanPins pins;
    private final NodeRemovals removals;

    /** @param engine a fork that nothing else writes to */
    MeasuredRemovals(SpreadEngine engine) {
        pins = engine.pinPlans(StopSignal.NEVER, PlanPins.UNLIMITED);
        removals = new NodeRemovals(
                engine,
                this,
                pins,
                PlacementRule.SPREAD,
                List.of(),
                false,
                System.currentTimeMillis() / 1_000,
                true,
                (node, pod, plan, candidates, answer) -> {});
    }

    /** The same cluster, but each pod has the hard constraints on zone and hostname of its workload, and no others. */
    static ClusterGenerator spread(ClusterGenerator cluster) {
        Map<String, List<TopologySpreadConstraint>> ofOwner = new HashMap<>();
        for (Workload workload : cluster.workloads()) {
            Pod pod = Spread.HARD_ZONE_HARD_HOSTNAME.of(workload);
            ofOwner.put(owner(pod), pod.getSpec().getTopologySpreadConstraintsList());
        }
        return cluster.with(pod -> {
            PodSpec.Builder spec = pod.getSpec().toBuilder()
                    .clearTopologySpreadConstraints()
                    .clearAffinity()
                    .clearTolerations();
            spec.addAllTopologySpreadConstraints(ofOwner.get(owner(pod)));
            return Resources.asking(pod.toBuilder().setSpec(spec).build(), "100m");
        });
    }

    private static String owner(Pod pod) {
        return pod.getMetadata().getOwnerReferences(0).getName();
    }

    /** Judges each node by itself; returns how many pods would move, which must be some. */
    int judge(List<String> nodes) {
        return some(nodes.stream().mapToInt(node -> moves(removals.judge(node))).sum());
    }

    /** Removes the nodes that can go together; returns how many pods move, which must be some. */
    int remove(List<String> nodes) {
        return some(
                nodes.stream().mapToInt(node -> moves(removals.remove(node))).sum());
    }

    private static int some(int moves) {
        if (moves == 0) {
            throw new IllegalStateException("no node can be removed");
        }
        return moves;
    }

    private static int moves(@Nullable NodeRemoval removal) {
        NodeRemoval known = Objects.requireNonNull(removal);
        return known.isPossible() ? known.moves().size() : 0;
    }

    @Override
    public PodPlan of(NodePod pod, StoredPod stored) {
        try {
            return pins.plan(translator.translate(TemplateReader.pod(stored)), SpreadDefaults.NONE);
        } catch (InvalidObjectException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public boolean dependsOnNode(StoredPod stored) {
        return TemplateReader.namesItsNode(stored);
    }

    @Override
    public List<ScoredPod.Preference> preferences(StoredPod stored) {
        return List.of();
    }

    @Override
    public void close() {
        pins.close();
    }
}
