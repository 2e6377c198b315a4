package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("kube")
final class ControlPlaneTest {
    @Test
    void cluster_isCreatedAndListed_andOutlivesItsProcesses(@TempDir Path directory)
            throws IOException, InterruptedException {
        ClusterGenerator cluster = new ClusterGenerator(ClusterShape.of(1, 20, 600));
        try (ControlPlane plane = ControlPlane.start(directory)) {
            ApiServer server = plane.client();
            ControlPlaneFill.fill(server, cluster);
            requireWhole(server, cluster);

            plane.kill(ControlPlane.Program.API_SERVER);
            CompletionException refused = assertThrows(CompletionException.class, () -> server.list(ObjectKind.POD));
            // Refused, or the end of a connection that was open before.
            assertTrue(refused.getCause() instanceof IOException, refused::toString);
            plane.kill(ControlPlane.Program.ETCD);
            plane.start(ControlPlane.Program.ETCD);
            plane.start(ControlPlane.Program.API_SERVER);
            requireWhole(server, cluster);

            JsonNode pods = server.call("GET", "/api/v1/pods?limit=1", "").join();
            plane.compact(pods.path("metadata").path("resourceVersion").asLong());
            plane.stop(ControlPlane.Program.API_SERVER);
        }
        try (ControlPlane again = ControlPlane.start(directory)) {
            requireWhole(again.client(), cluster);
        }
    }

    private static void requireWhole(ApiServer server, ClusterGenerator cluster) throws IOException {
        assertEquals(cluster.shape().nodes(), server.list(ObjectKind.NODE).size());
        assertEquals(
                cluster.workloads().size(), server.list(ObjectKind.REPLICA_SET).size());
        assertEquals(cluster.shape().pods(), server.list(ObjectKind.POD).size());
        Pod some = (Pod) server.list(ObjectKind.POD).get(0);
        assertTrue(some.getSpec().getNodeName().startsWith("node-"), some::toString);
        assertEquals("Pending", some.getStatus().getPhase());
    }
}
