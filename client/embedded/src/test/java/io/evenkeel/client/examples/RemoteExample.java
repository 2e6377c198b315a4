package io.evenkeel.client.examples;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.TopologySpreadConstraint;

/** An example that asks a server which nodes are best for a pod. */
public final class RemoteExample {
    private RemoteExample() {}

    public static void main(String[] args) {
        String target = args.length > 0 ? args[0] : "127.0.0.1:7450";
        // begin
        Pod pod = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setNamespace("shop").putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder()
                        .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                                .setMaxSkew(1)
                                .setTopologyKey("topology.kubernetes.io/zone")
                                .setWhenUnsatisfiable("DoNotSchedule")
                                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"))))
                .build();
        try (PlacementClient client = RemotePlacement.connect(target)) {
            PodAnswer result =
                    client.evaluate(Query.of(pod).best(3).toEvaluate()).getAnswers(0);
            if (result.hasError()) {
                throw PlacementException.of(result.getError());
            }
            ReadableAnswer answer = result.getReadable();
            System.out.println(answer.getPassedCount() + " of " + answer.getCandidateCount() + " nodes may take it");
            for (NodeScore node : answer.getBestList()) {
                System.out.println(node.getName() + ", score " + node.getScore());
            }
            for (ReasonCount reason : answer.getReasonsList()) {
                System.out.println(reason.getNodeCount() + " " + reason.getMessage());
            }
        }
        // end
    }
}
