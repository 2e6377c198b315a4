package io.evenkeel.lab.scheduler;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.loadtest.local.LocalEngine;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.Pod;

/** Places pods one after the other on the nodes that an engine ranks best. */
final class PlacedPods implements AutoCloseable {
    private final PlacementClient client;

    PlacedPods(LocalEngine engine) {
        client = engine.client();
    }

    /** The pod, bound to its best node. */
    Pod place(Pod pod) {
        String node = client.evaluate(Query.of(pod).best(1).toEvaluate())
                .getAnswers(0)
                .getReadable()
                .getBest(0)
                .getName();
        client.assume(AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder().setPod(pod).setNode(node))
                .build());
        return pod.toBuilder()
                .setSpec(pod.getSpec().toBuilder().setNodeName(node))
                .build();
    }

    @Override
    public void close() {
        client.close();
    }
}
