package io.evenkeel.client.examples;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.TopologySpreadConstraint;

/** The example that asks a server where a pod should go. */
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
            Query question = Query.of(pod).among(CandidateNodes.enterable()).best(3);
            PodAnswer answer = client.evaluate(question.toEvaluate()).getAnswers(0);
            System.out.println(answer.getPassed() + " of " + answer.getCandidates() + " nodes may take it");
            for (NodeScore node : answer.getBestList()) {
                System.out.println(node.getName() + ", score " + node.getScore());
            }
            for (ReasonCount reason : answer.getReasonsList()) {
                System.out.println(reason.getNodes() + " " + reason.getReason());
            }
        }
        // end
    }
}
