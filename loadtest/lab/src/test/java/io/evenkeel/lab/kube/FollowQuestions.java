package io.evenkeel.lab.kube;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;

/** The pods that a server is asked about. */
final class FollowQuestions {
    private FollowQuestions() {}

    /**
     * Two pods per workload: a new replica, and one with only a soft hostname constraint, whose scores show the number
     * of matching pods on every node.
     */
    static List<Pod> about(ClusterGenerator cluster) {
        List<Pod> pods = new ArrayList<>();
        for (Workload workload : cluster.workloads()) {
            pods.add(workload.incomingPod());
            pods.add(workload.incomingPod().toBuilder()
                    .setSpec(PodSpec.newBuilder()
                            .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                                    .setMaxSkew(1)
                                    .setTopologyKey(Labels.HOSTNAME)
                                    .setWhenUnsatisfiable("ScheduleAnyway")
                                    .setLabelSelector(
                                            LabelSelector.newBuilder().putMatchLabels("app", workload.name()))))
                    .build());
        }
        return pods;
    }
}
