package io.evenkeel.warmup;

import io.evenkeel.placement.Instance;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.Toleration;
import java.util.List;

/** What most first questions share. */
public final class PreparedParts {
    private static final LabelSelector NO_PODS =
            LabelSelector.newBuilder().putMatchLabels("warm-up", "none").build();

    private PreparedParts() {}

    /**
     * Has an instance without a cluster make what most first questions share: the topologies of zones and hosts, and
     * those of the default constraints, and which nodes take a pod with the tolerations that an API server gives to
     * each, and one without. Each node is then taken into these as it comes. Made for the first caller, they would take
     * him and those behind him some tens of milliseconds.
     */
    public static void prepare(Instance empty) {
        for (List<Toleration> tolerations : List.of(SmallCluster.EACH_PODS, List.<Toleration>of())) {
            for (String effect : List.of(UsualCalls.HARD, UsualCalls.SOFT)) {
                for (String[] keys : new String[][] {
                    {SmallCluster.ZONE, SmallCluster.HOSTNAME}, {SmallCluster.ZONE}, {SmallCluster.HOSTNAME}
                }) {
                    empty.prepare(pod(UsualCalls.constrained(NO_PODS, effect, keys), tolerations), null);
                }
            }
            empty.prepare(pod(PodSpec.newBuilder(), tolerations), NO_PODS);
        }
    }

    private static Pod pod(PodSpec.Builder spec, List<Toleration> tolerations) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(SmallCluster.NAMESPACE)
                        .putAllLabels(NO_PODS.getMatchLabelsMap())
                        .addOwnerReferences(SmallCluster.byReplicaSet("none", "none")))
                .setSpec(spec.addAllTolerations(tolerations))
                .build();
    }
}
