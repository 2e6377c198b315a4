package io.evenkeel.warmup;

import io.evenkeel.placement.Instance;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.Toleration;
import java.util.List;

/** Prepares what most first queries share. */
public final class PreparedParts {
    private static final LabelSelector NO_PODS =
            LabelSelector.newBuilder().putMatchLabels("warm-up", "none").build();

    private PreparedParts() {}

    /**
     * Prepares an instance before it has a cluster: the topologies of zones, hosts and the default constraints, and the
     * eligibility of nodes for pods with and without the tolerations that an API server adds. Nodes are then added to
     * these as they arrive. Otherwise the first callers would wait some tens of milliseconds.
     */
    public static void prepare(Instance empty) {
        for (List<Toleration> tolerations : List.of(SmallCluster.EACH_PODS, List.<Toleration>of())) {
            for (String effect : List.of(WarmUpCalls.HARD, WarmUpCalls.SOFT)) {
                for (String[] keys : new String[][] {
                    {SmallCluster.ZONE, SmallCluster.HOSTNAME}, {SmallCluster.ZONE}, {SmallCluster.HOSTNAME}
                }) {
                    empty.prepare(
                            pod(WarmUpCalls.constrain(PodSpec.newBuilder(), NO_PODS, effect, keys), tolerations), null);
                }
            }
            empty.prepare(pod(PodSpec.newBuilder(), tolerations), NO_PODS);
        }
    }

    private static Pod pod(PodSpec.Builder spec, List<Toleration> tolerations) {
        return Pod.newBuilder()
                .setMetadata(SmallCluster.pod(0, "none", 0).putAllLabels(NO_PODS.getMatchLabelsMap()))
                .setSpec(spec.addAllTolerations(tolerations))
                .build();
    }
}
