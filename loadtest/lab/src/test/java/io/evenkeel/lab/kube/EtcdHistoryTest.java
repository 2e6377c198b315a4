package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.script.Step;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.lab.controlplane.ControlPlane.Program;
import io.evenkeel.lab.controlplane.ControlPlaneFill;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.v1.Pod;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("kube")
final class EtcdHistoryTest {
    @Test
    void history_endsWithWhatTheServerLists_alsoIfBothAreKilledMeanwhile(@TempDir Path directory) throws Exception {
        ClusterGenerator cluster = new ClusterGenerator(ClusterShape.of(1, 20, 400));
        try (ControlPlane plane = ControlPlane.start(directory);
                EtcdHistory history = new EtcdHistory(plane.etcd())) {
            ApiServer server = plane.client();
            ControlPlaneFill.fill(server, cluster);
            try (RandomApiChanges changes = new RandomApiChanges(server, cluster, 200, 1)) {
                changes.await(300);
                plane.kill(Program.API_SERVER);
                plane.kill(Program.ETCD);
                plane.start(Program.ETCD);
                plane.start(Program.API_SERVER);
                changes.await(300);
            }
            for (ObjectKind kind : ObjectKind.values()) {
                long newest = 0;
                Map<String, String> listed = new TreeMap<>();
                for (Message object : server.list(kind)) {
                    if (object instanceof Pod pod) {
                        listed.put(pod.getMetadata().getUid(), pod.getSpec().getNodeName());
                        newest = Math.max(
                                newest, Long.parseLong(pod.getMetadata().getResourceVersion()));
                    }
                }
                history.await(newest);
                assertEquals(
                        server.list(kind).size(),
                        history.objects(kind, Long.MAX_VALUE).size(),
                        kind::kindName);
                Map<String, String> recorded = new TreeMap<>();
                for (Step object : history.objects(kind, Long.MAX_VALUE)) {
                    if (object instanceof Step.PodEvent event) {
                        recorded.put(event.pod().uid(), event.pod().nodeName());
                    }
                }
                assertEquals(listed, recorded);
                assertTrue(history.newest(kind) > 0, kind::kindName);
            }
        }
    }
}
