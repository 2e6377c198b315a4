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
    private PreparedParts() {}

    /**
     * Has an instance without a cluster make what most first questions share: the topologies of zones and hosts, and
     * which nodes take a pod with the tolerations that an API server gives to each, and one without. Each node is then
     * taken into these as it comes. Made for the first caller, they would take him and those behind him some tens of
     * milliseconds.
     */
    public static void prepare(Instance empty) {
        for (String effect : List.of(UsualCalls.HARD, UsualCalls.SOFT)) {
            for (List<Toleration> tolerations : List.of(SmallCluster.EACH_PODS, List.<Toleration>of())) {
                for (String[] keys : new String[][] {
                    {SmallCluster.ZONE, SmallCluster.HOSTNAME}, {SmallCluster.ZONE}, {SmallCluster.HOSTNAME}
                }) {
                    empty.prepare(pod(tolerations, effect, keys));
                }
            }
        }
    }

    private static Pod pod(List<Toleration> tolerations, String effect, String... keys) {
        LabelSelector noPods =
                LabelSelector.newBuilder().putMatchLabels("warm-up", "none").build();
        PodSpec.Builder spec = UsualCalls.constrained(noPods, effect, keys).addAllTolerations(tolerations);
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(SmallCluster.NAMESPACE)
                        .putAllLabels(noPods.getMatchLabelsMap()))
                .setSpec(spec)
                .build();
    }
}
