package io.evenkeel.loadtest.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ChurnTest {
    private final Set<String> alive = ConcurrentHashMap.newKeySet();
    private final CountDownLatch refused = new CountDownLatch(1);

    /** Rejects the twentieth pod. */
    private void received(SyncRequest request, StreamObserver<SyncResponse> answers) {
        SyncResponse.Builder answer = SyncResponse.newBuilder();
        for (ClusterEvent event : request.getEvents().getEventsList()) {
            String uid = event.getObject().getPod().getMetadata().getUid();
            if (event.getType() == ClusterEvent.Type.TYPE_DELETED) {
                alive.remove(uid);
            } else if (alive.size() < 19 || refused.getCount() == 0) {
                alive.add(uid);
            } else {
                answer.addRefusals(Refusal.getDefaultInstance());
                refused.countDown();
            }
        }
        answers.onNext(answer.build());
    }

    @Test
    void pods_areReverted_whenOneWasRefused() throws Exception {
        try (ScriptedPlacementServer server = ScriptedPlacementServer.of(new ScriptedState(this::received));
                PlacementClient client = RemotePlacement.connect(server.target());
                ClusterFeed feed = client.feed()) {
            Churn churn = Churn.start(feed, new ChurnPods(List.of(Pod.getDefaultInstance()), List.of("a")), 10_000);
            try (churn) {
                assertTrue(refused.await(1, TimeUnit.MINUTES));
            }
            assertNotNull(churn.fault());
            assertEquals(Set.of(), alive);
        }
    }
}
