package io.evenkeel.client.examples;

import io.evenkeel.client.EvaluationStream;
import io.evenkeel.client.NodeTable;
import io.evenkeel.client.PackedAnswers;
import io.evenkeel.client.PackedVerdicts;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An example that sends many queries on one stream, and reads the verdicts of all nodes from bits. */
public final class PackedExample {
    private PackedExample() {}

    public static void main(String[] args) {
        String target = args.length > 0 ? args[0] : "127.0.0.1:7450";
        Pod pod = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setNamespace("shop").putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder()
                        .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                                .setMaxSkew(1)
                                .setTopologyKey("topology.kubernetes.io/zone")
                                .setWhenUnsatisfiable("DoNotSchedule")
                                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"))))
                .build();
        // begin
        try (PlacementClient client = RemotePlacement.connect(target);
                EvaluationStream stream = client.evaluationStream()) {
            List<CompletableFuture<EvaluateResponse>> asked = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                asked.add(stream.evaluate(Query.of(pod).packed().toEvaluate()));
            }
            PackedAnswers answers = PackedAnswers.of(asked.get(99).join());
            PackedVerdicts verdicts = answers.pod(0);
            NodeTable table = client.nodeTables().of(answers);
            for (int node = verdicts.nextPassed(0); node >= 0; node = verdicts.nextPassed(node + 1)) {
                System.out.println(table.name(node) + ", score " + verdicts.score(node));
            }
        }
        // end
    }
}
