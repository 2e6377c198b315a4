package io.evenkeel.client.examples;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.ClusterObjects;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;

/** An example that keeps an index in its process and places three pods one after another. */
public final class EmbeddedExample {
    private EmbeddedExample() {}

    public static void main(String[] args) {
        // begin
        try (PlacementClient client = EmbeddedPlacement.start()) {
            List<ClusterObject> cluster = new ArrayList<>();
            for (String zone : List.of("a", "b", "c")) {
                cluster.add(ClusterObjects.of(Node.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder()
                                .setName("node-" + zone)
                                .setUid("uid-of-node-" + zone)
                                .putLabels("topology.kubernetes.io/zone", zone))
                        .build()));
            }
            try (ClusterFeed feed = client.feed()) {
                feed.snapshot(cluster.iterator());
            }
            for (int i = 0; i < 3; i++) {
                Pod pod = Pod.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder()
                                .setNamespace("shop")
                                .setName("web-" + i)
                                .setUid("uid-of-web-" + i)
                                .putLabels("app", "web"))
                        .setSpec(PodSpec.newBuilder()
                                .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                                        .setMaxSkew(1)
                                        .setTopologyKey("topology.kubernetes.io/zone")
                                        .setWhenUnsatisfiable("DoNotSchedule")
                                        .setLabelSelector(
                                                LabelSelector.newBuilder().putMatchLabels("app", "web"))))
                        .build();
                String node = client.evaluate(Query.of(pod).best(1).toEvaluate())
                        .getAnswers(0)
                        .getReadable()
                        .getBest(0)
                        .getName();
                client.assume(AssumeRequest.newBuilder()
                        .addPods(AssumedPod.newBuilder().setPod(pod).setNode(node))
                        .build());
                System.out.println(pod.getMetadata().getName() + " to " + node);
            }
        }
        // end
    }
}
