package io.evenkeel.eviction;

import static org.junit.jupiter.api.Assertions.assertSame;

import io.evenkeel.engine.Await;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what is kept of the pods of a cluster. */
final class LiveClusterTest {
    private final LiveCluster cluster = new LiveCluster(pod -> true, warning -> {});

    private Map<String, String> labelsOf(String uid) {
        byte[] pod = pod(uid);
        cluster.put(ObjectKind.POD, pod, 0, pod.length);
        return Objects.requireNonNull(cluster.pod(uid)).labels();
    }

    private static byte[] pod(String uid) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setUid(uid).putLabels("app", "web"))
                .build()
                .toByteArray();
    }

    @Test
    @Timeout(60)
    void equalLabels_areShared_andForgottenWithTheLastPod() throws InterruptedException {
        WeakReference<Map<String, String>> labels = new WeakReference<>(labelsOf("1"));
        assertSame(labels.get(), labelsOf("2"));
        for (String uid : new String[] {"1", "2"}) {
            cluster.deleted(ObjectKind.POD, pod(uid), 0, pod(uid).length);
        }
        Await.until(() -> {
            System.gc();
            return labels.get() == null;
        });
    }
}
