package io.evenkeel.loadtest.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.LocalServer;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class FullClusterTest {
    @Test
    void noNodeAcceptsThePod_andPreemptionHelpsOnAll_byTheRemovalOfSeveralPods() throws IOException {
        FullCluster cluster = new FullCluster(6);
        try (LocalServer server = LocalServer.start()) {
            ClusterFill.send(cluster.objects(), server.client());
            PreemptResponse answer = server.client()
                    .preempt(PreemptRequest.newBuilder()
                            .setPod(cluster.incomingPod())
                            .build());
            assertEquals(0, answer.getAcceptingNodeCount());
            assertEquals(6, answer.getHelpfulNodeCount());
            assertTrue(answer.getNodes(0).getVictimsCount() > 2, answer::toString);
        }
    }
}
