package io.evenkeel.loadtest.cluster;

import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The constraints of a pod. Workloads take all but the last in turn, and measurements ask about pods with each of them,
 * as replicas of any workload. Pods without explicit constraints get kube-scheduler's System defaults.
 */
public enum Spread {
    HARD_ZONE("hard zone", hard(Labels.ZONE, 1)),
    HARD_ZONE_HARD_HOSTNAME("hard zone + hostname", hard(Labels.ZONE, 1), hard(Labels.HOSTNAME, 1)),
    SOFT_ZONE_SOFT_HOSTNAME("soft zone + hostname", soft(Labels.ZONE), soft(Labels.HOSTNAME)),
    HARD_ZONE_SOFT_HOSTNAME("hard zone + soft hostname", hard(Labels.ZONE, 1), soft(Labels.HOSTNAME)),
    /**
     * Constraints on zone, rack and hostname, and node affinity for two pools. The pods tolerate the taint of one of
     * the pools; taints of other pools are honoured.
     */
    FIVE_CONSTRAINTS(
            "five, affinity, taints",
            hard(Labels.ZONE, 1),
            hard(Labels.RACK, 5),
            hard(Labels.HOSTNAME, 2),
            soft(Labels.RACK),
            soft(Labels.HOSTNAME)) {
        @Override
        void ask(PodSpec.Builder spec, LabelSelector selector) {
            super.ask(spec, selector);
            spec.getTopologySpreadConstraintsBuilderList()
                    .forEach(constraint -> constraint.setNodeTaintsPolicy("Honor"));
            spec.getAffinityBuilder()
                    .getNodeAffinityBuilder()
                    .getRequiredDuringSchedulingIgnoredDuringExecutionBuilder()
                    .addNodeSelectorTermsBuilder()
                    .addMatchExpressions(NodeSelectorRequirement.newBuilder()
                            .setKey(Labels.POOL)
                            .setOperator("In")
                            .addAllValues(
                                    FIVE_POOLS.stream().map(pool -> pool.label).toList()));
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
    /** No constraints. The defaults apply, with a selector from the workload's Service and ReplicaSet. */
    DEFAULTS_WITH_OWNER("none, defaults, owner"),
    /** No constraints, and a pod that does not belong to the workload. No owner selects it, so no defaults apply. */
    DEFAULTS_WITHOUT_OWNER("none, defaults, no owner") {
        @Override
        public Pod of(Workload workload) {
            return workload.strangerPod();
        }
    };

    /** The constraints of the pods of workloads. */
    public static final List<Spread> OF_WORKLOADS = List.of(values()).subList(0, values().length - 1);

    private static final Set<Pool> OPEN_POOLS = EnumSet.of(Pool.GENERAL, Pool.COMPUTE);
    private static final Set<Pool> FIVE_POOLS = EnumSet.of(Pool.COMPUTE, Pool.BATCH);

    private final String words;
    private final PodSpec constraints;

    Spread(String words, TopologySpreadConstraint... constraints) {
        this.words = words;
        this.constraints = PodSpec.newBuilder()
                .addAllTopologySpreadConstraints(List.of(constraints))
                .build();
    }

    private static TopologySpreadConstraint hard(String topologyKey, int maxSkew) {
        return TopologySpreadConstraint.newBuilder()
                .setTopologyKey(topologyKey)
                .setMaxSkew(maxSkew)
                .setWhenUnsatisfiable("DoNotSchedule")
                .build();
    }

    private static TopologySpreadConstraint soft(String topologyKey) {
        return hard(topologyKey, 1).toBuilder()
                .setWhenUnsatisfiable("ScheduleAnyway")
                .build();
    }

    /** The constraints as text for a table. */
    public String words() {
        return words;
    }

    /** Adds the constraints to a pod's spec, together with their tolerations and affinity. */
    void ask(PodSpec.Builder spec, LabelSelector selector) {
        spec.mergeFrom(constraints)
                .getTopologySpreadConstraintsBuilderList()
                .forEach(constraint -> constraint.setLabelSelector(selector));
    }

    /** The pools whose nodes can run these pods. */
    Set<Pool> pools() {
        return OPEN_POOLS;
    }

    /** A new, unbound replica of {@code workload} with these constraints. Each call returns an equal pod. */
    public Pod of(Workload workload) {
        return workload.incomingPod(this);
    }

    /** The workloads whose pods have these constraints, or all workloads if there are none. */
    public List<Workload> workloads(ClusterGenerator cluster) {
        List<Workload> alike = cluster.workloads().stream()
                .filter(workload -> workload.spread() == (this == DEFAULTS_WITHOUT_OWNER ? DEFAULTS_WITH_OWNER : this))
                .toList();
        return alike.isEmpty() ? cluster.workloads() : alike;
    }

    /**
     * A new replica of the first workload whose pods have these constraints, or of the very first workload if there is
     * none.
     */
    public Pod in(ClusterGenerator cluster) {
        if (cluster.workloads().isEmpty()) {
            throw new IllegalArgumentException(
                    "pods must be at least 1, was 0: an incoming pod is a replica of a workload");
        }
        return of(workloads(cluster).get(0));
    }

    /** Its name for options. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
