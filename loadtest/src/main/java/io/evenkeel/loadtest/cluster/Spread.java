package io.evenkeel.loadtest.cluster;

import io.evenkeel.v1.Affinity;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.NodeAffinity;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeSelectorTerm;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.EnumSet;
import java.util.Set;

/** The constraints of a workload's pods. */
public enum Spread {
    HARD_ZONE("hard zone") {
        @Override
        void ask(PodSpec.Builder spec, LabelSelector selector) {
            spec.addTopologySpreadConstraints(hard(Labels.ZONE, 1, selector));
        }
    },

    HARD_ZONE_HARD_HOSTNAME("hard zone + hostname") {
        @Override
        void ask(PodSpec.Builder spec, LabelSelector selector) {
            spec.addTopologySpreadConstraints(hard(Labels.ZONE, 1, selector));
            spec.addTopologySpreadConstraints(hard(Labels.HOSTNAME, 1, selector));
        }
    },

    SOFT_ZONE_SOFT_HOSTNAME("soft zone + hostname") {
        @Override
        void ask(PodSpec.Builder spec, LabelSelector selector) {
            spec.addTopologySpreadConstraints(soft(Labels.ZONE, 1, selector));
            spec.addTopologySpreadConstraints(soft(Labels.HOSTNAME, 1, selector));
        }
    },

    HARD_ZONE_SOFT_HOSTNAME("hard zone + soft hostname") {
        @Override
        void ask(PodSpec.Builder spec, LabelSelector selector) {
            spec.addTopologySpreadConstraints(hard(Labels.ZONE, 1, selector));
            spec.addTopologySpreadConstraints(soft(Labels.HOSTNAME, 1, selector));
        }
    },

    /**
     * Constraints on zone, rack and hostname, and node affinity for two pools. The pods tolerate the taint of one of
     * the pools; taints of other pools are honoured.
     */
    FIVE_CONSTRAINTS("five, affinity, taints") {
        @Override
        void ask(PodSpec.Builder spec, LabelSelector selector) {
            spec.addTopologySpreadConstraints(honouringTaints(hard(Labels.ZONE, 1, selector)));
            spec.addTopologySpreadConstraints(honouringTaints(hard(Labels.RACK, 5, selector)));
            spec.addTopologySpreadConstraints(honouringTaints(hard(Labels.HOSTNAME, 2, selector)));
            spec.addTopologySpreadConstraints(honouringTaints(soft(Labels.RACK, 1, selector)));
            spec.addTopologySpreadConstraints(honouringTaints(soft(Labels.HOSTNAME, 1, selector)));
            spec.setAffinity(Affinity.newBuilder()
                    .setNodeAffinity(NodeAffinity.newBuilder()
                            .setRequiredDuringSchedulingIgnoredDuringExecution(NodeSelector.newBuilder()
                                    .addNodeSelectorTerms(NodeSelectorTerm.newBuilder()
                                            .addMatchExpressions(NodeSelectorRequirement.newBuilder()
                                                    .setKey(Labels.POOL)
                                                    .setOperator("In")
                                                    .addAllValues(FIVE_POOLS.stream()
                                                            .map(pool -> pool.label)
                                                            .toList()))))));
            spec.addTolerations(Toleration.newBuilder()
                    .setKey("dedicated")
                    .setOperator("Equal")
                    .setValue("batch")
                    .setEffect("NoSchedule"));
        }

        @Override
        Set<Pool> pools() {
            return FIVE_POOLS;
        }
    },

    /**
     * No constraints: the cluster's default constraints apply, with a selector from the workload's ReplicaSet and
     * Service.
     */
    NONE("none: the defaults") {
        @Override
        void ask(PodSpec.Builder spec, LabelSelector selector) {}
    };

    private static final Set<Pool> OPEN_POOLS = EnumSet.of(Pool.GENERAL, Pool.COMPUTE);
    private static final Set<Pool> FIVE_POOLS = EnumSet.of(Pool.COMPUTE, Pool.BATCH);

    private final String words;

    Spread(String words) {
        this.words = words;
    }

    /** The constraints as text for a table. */
    public String words() {
        return words;
    }

    /** Adds the constraints to a pod's spec, together with their tolerations and affinity. */
    abstract void ask(PodSpec.Builder spec, LabelSelector selector);

    /** The pools whose nodes can run these pods. */
    Set<Pool> pools() {
        return OPEN_POOLS;
    }

    /** The constraints of a workload. Workloads take them in turn. */
    static Spread inTurn(int workload) {
        return values()[workload % values().length];
    }

    private static TopologySpreadConstraint hard(String topologyKey, int maxSkew, LabelSelector selector) {
        return constraint(topologyKey, maxSkew, selector, "DoNotSchedule");
    }

    private static TopologySpreadConstraint soft(String topologyKey, int maxSkew, LabelSelector selector) {
        return constraint(topologyKey, maxSkew, selector, "ScheduleAnyway");
    }

    private static TopologySpreadConstraint constraint(
            String topologyKey, int maxSkew, LabelSelector selector, String whenUnsatisfiable) {
        return TopologySpreadConstraint.newBuilder()
                .setTopologyKey(topologyKey)
                .setMaxSkew(maxSkew)
                .setWhenUnsatisfiable(whenUnsatisfiable)
                .setLabelSelector(selector)
                .build();
    }

    private static TopologySpreadConstraint honouringTaints(TopologySpreadConstraint constraint) {
        return constraint.toBuilder().setNodeTaintsPolicy("Honor").build();
    }
}
