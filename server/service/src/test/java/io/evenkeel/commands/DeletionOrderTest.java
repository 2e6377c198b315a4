package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Timestamp;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class DeletionOrderTest {
    @Test
    void podsWithoutANodeComeFirst_thenFullNodes_thenUnknownAndYoungPods() {
        Pod pending = pod("pending", "", 1L << 20);
        Pod unknown = pod("unknown", "a", null);
        Pod young = pod("young", "b", 10L);
        Pod old = pod("old", "c", 1L << 20);
        Pod alone = pod("alone", "d", 10L);
        NodeCounts newPods = new NodeCounts();
        List.of("a", "b", "c").forEach(newPods::add);
        List<Pod> pods = List.of(alone, old, young, unknown, pending);
        assertEquals(List.of(pending, unknown, young, old, alone), new DeletionOrder(newPods, pods).sorted(pods));
    }

    private static Pod pod(String uid, String node, @Nullable Long ageSeconds) {
        ObjectMeta.Builder metadata = ObjectMeta.newBuilder().setUid(uid);
        if (ageSeconds != null) {
            metadata.setCreationTimestamp(
                    Timestamp.newBuilder().setSeconds(Instant.now().getEpochSecond() - ageSeconds));
        }
        return Pod.newBuilder()
                .setMetadata(metadata)
                .setSpec(PodSpec.newBuilder().setNodeName(node))
                .build();
    }
}
