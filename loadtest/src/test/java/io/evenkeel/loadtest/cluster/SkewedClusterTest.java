package io.evenkeel.loadtest.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.LocalServer;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.ListSpreadResponse;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SkewedClusterTest {
    private final SkewedCluster cluster = new SkewedCluster(1, 31, 640, 20);

    @Test
    void excess_isWhatTheServerFinds() throws IOException {
        try (LocalServer server = LocalServer.start()) {
            ClusterFill.send(cluster.objects(), server.client());
            ListSpreadResponse listed = server.client().listSpread(ListSpreadRequest.getDefaultInstance());
            assertEquals(20, listed.getWorkloadsCount());
            long excess = listed.getWorkloadsList().stream()
                    .flatMap(workload -> workload.getTemplates(0).getConstraintsList().stream())
                    .mapToLong(constraint -> Math.max(0, constraint.getSkew() - constraint.getMaxSkew()))
                    .sum();
            assertEquals(excess, cluster.excess(Map.of()));
            assertTrue(excess > 20, () -> excess + "");
        }
    }

    @Test
    void excess_isThatOfTheOtherPods_whenSomeHaveNoNodeOrAnotherOne() {
        Map<String, String> moved = new HashMap<>();
        cluster.objects()
                .forEachRemaining(
                        object -> moved.put(object.getPod().getMetadata().getName(), ""));
        assertEquals(0, cluster.excess(moved));
        moved.replaceAll((pod, node) -> "node-00007");
        assertEquals(20 * 2 * 31, cluster.excess(moved));
    }
}
