package io.evenkeel.client.examples;

import io.evenkeel.client.ClusterObjects;
import io.evenkeel.client.FeedOptions;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.SchedulerStream;
import io.evenkeel.client.SnapshotResult;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.SyncResponse;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An example of a scheduler that sends its own snapshot, and asks on the same stream. */
public final class StreamExample {
    private StreamExample() {}

    public static void main(String[] args) {
        String target = args.length > 0 ? args[0] : "127.0.0.1:7450";
        List<ClusterObject> snapshot =
                List.of(ClusterObjects.of(node("node-a", "a")), ClusterObjects.of(node("node-b", "b")));
        Pod nextPod = pod("web-1").build();
        Pod.Builder assumed = pod("web-0");
        assumed.getSpecBuilder().setNodeName("node-a");
        ClusterObject assumedPod = ClusterObjects.of(assumed.build());
        // begin
        try (PlacementClient client = RemotePlacement.connect(target);
                SchedulerStream stream = client.schedulerStream(FeedOptions.named("my-scheduler"))) {
            SnapshotResult sent = stream.feed().snapshot(snapshot.iterator());
            // The scheduler has assumed a pod. The question does not wait for the acknowledgement.
            CompletableFuture<SyncResponse> change = stream.feed().events(List.of(ClusterObjects.added(assumedPod)));
            CompletableFuture<EvaluateResponse> answer =
                    stream.evaluations().evaluate(Query.of(nextPod).best(1).toEvaluate());
            String best = answer.join().getAnswers(0).getReadable().getBest(0).getName();
            // An answer lacks the objects that were refused.
            long refused = sent.refused() + change.join().getRefusalsCount();
            System.out.println(best + ", " + refused + " objects refused");
        }
        // end
    }

    private static Node node(String name, String zone) {
        return Node.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setName(name)
                        .setUid("uid-of-" + name)
                        .putLabels("topology.kubernetes.io/zone", zone))
                .build();
    }

    private static Pod.Builder pod(String name) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace("shop")
                        .setName(name)
                        .setUid("uid-of-" + name)
                        .putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder()
                        .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                                .setMaxSkew(1)
                                .setTopologyKey("topology.kubernetes.io/zone")
                                .setWhenUnsatisfiable("DoNotSchedule")
                                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"))));
    }
}
