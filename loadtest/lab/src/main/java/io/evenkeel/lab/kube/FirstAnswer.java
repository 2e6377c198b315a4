package io.evenkeel.lab.kube;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Pod;
import java.time.Duration;

/** Gets the first answer of a server that has just become ready. */
final class FirstAnswer {
    private FirstAnswer() {}

    static void await(String target, Pod pod) {
        try (PlacementClient client =
                RemotePlacement.builder(target).deadline(Duration.ofMinutes(1)).build()) {
            EvaluateResponse unused = client.evaluate(Query.of(pod).best(1).toEvaluate());
        }
    }
}
