package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Timestamp;
import io.evenkeel.v1.Pod;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the order with that of kube-controller-manager's {@code ActivePodsWithRanks}. */
final class DeletionOrderTest {
    private static Pod pod(String name, String node, String cost, long created) {
        Pod.Builder pod = Pod.newBuilder();
        pod.getMetadataBuilder().setName(name).setUid(name);
        pod.getSpecBuilder().setNodeName(node);
        if (!cost.isEmpty()) {
            pod.getMetadataBuilder().putAnnotations("controller.kubernetes.io/pod-deletion-cost", cost);
        }
        if (created > 0) {
            pod.getMetadataBuilder().setCreationTimestamp(Timestamp.newBuilder().setSeconds(created));
        }
        return pod.build();
    }

    private static List<String> sorted(Pod... pods) {
        List<Pod> all = List.of(pods);
        return new DeletionOrder(new NodeCounts(), all)
                .sorted(all).stream().map(pod -> pod.getMetadata().getName()).toList();
    }

    @Test
    void cost_comesBeforeTheNumberOfPodsOnTheNode_andAfterTheNode() {
        assertEquals(
                List.of("pending", "negative", "shares-1", "shares-2", "alone", "dear"),
                sorted(
                        pod("dear", "b", "10", 1),
                        pod("alone", "c", "invalid", 1),
                        pod("shares-2", "b", "0", 1),
                        pod("shares-1", "b", "", 1),
                        pod("negative", "d", "-1", 1),
                        pod("pending", "", "100", 1)));
    }

    @Test
    void podWithoutACreationTime_comesBeforeThoseThatHaveOne() {
        assertEquals(List.of("unknown", "old"), sorted(pod("old", "a", "", 1), pod("unknown", "a", "", 0)));
    }
}
