package io.evenkeel.warmup;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.cordoned;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.event;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static io.evenkeel.v1.ClusterEvent.Type.TYPE_MODIFIED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the parts prepared without a cluster are used and correct once there is one. */
@Timeout(60)
final class PreparedPartsTest {
    /** The first query uses the parts that were prepared without nodes, and gets the same answer as with new ones. */
    @Test
    void firstQuestion_usesWhatWasPrepared_andIsAnsweredAlike() throws Exception {
        try (TestServer prepared = TestServer.start();
                TestServer other = TestServer.start()) {
            PreparedParts.prepare(prepared.server.instance());
            Await.until(() -> prepared.status().getPlanCount() >= 14);
            // One of them counts by zone for the default constraints, which accept nodes without a zone.
            assertEquals(6, prepared.status().getSpreadGroupCount());
            long eligibilities = prepared.status().getEligibilityCount();
            assertTrue(eligibilities > 0);
            assertEquals(0, other.status().getEligibilityCount());
            List<ClusterObject> objects = new ArrayList<>(zones(3, 1, 2));
            // Because of it, a pod without constraints gets the default ones.
            objects.add(ClusterObject.newBuilder()
                    .setService(Service.newBuilder()
                            .setMetadata(ObjectMeta.newBuilder()
                                    .setNamespace(NAMESPACE)
                                    .setName("web"))
                            .setSpec(ServiceSpec.newBuilder().putSelector("app", "web")))
                    .build());
            objects.add(object(cordoned(node("cordoned", "z4"))));
            objects.add(object(node("without-a-zone", Map.of(HOSTNAME, "without-a-zone"))));
            other.clusterState.apply(apply(objects));
            prepared.clusterState.apply(apply(objects));
            assertAnswersAlike(other, prepared);
            // One node moves to another zone, one is cordoned, one loses its zone, and one is removed.
            ApplyRequest changes = ApplyRequest.newBuilder()
                    .addEvents(event(TYPE_MODIFIED, object(node("z1", "z2"))))
                    .addEvents(event(TYPE_MODIFIED, object(cordoned(node("z3", "z3")))))
                    .addEvents(event(TYPE_MODIFIED, object(node("cordoned", Map.of(HOSTNAME, "cordoned")))))
                    .addEvents(deleted(object(node("without-a-zone", Map.of()))))
                    .build();
            other.clusterState.apply(changes);
            prepared.clusterState.apply(changes);
            assertAnswersAlike(other, prepared);
            assertEquals(eligibilities, prepared.status().getEligibilityCount());
        }
    }

    private static void assertAnswersAlike(TestServer expected, TestServer actual) {
        for (Pod pod : List.of(web(hard(ZONE)), web(soft(ZONE)), web(soft(ZONE), soft(HOSTNAME)), web())) {
            assertEquals(answersAbout(pod, expected), answersAbout(pod, actual), () -> "about " + pod);
        }
    }

    private static List<PodAnswer> answersAbout(Pod pod, TestServer server) {
        return server.placement
                .evaluate(EvaluateRequest.newBuilder().addPods(pod).build())
                .getAnswersList();
    }
}
