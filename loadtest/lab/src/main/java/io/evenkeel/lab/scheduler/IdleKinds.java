package io.evenkeel.lab.scheduler;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.Calls;
import io.evenkeel.lab.controlplane.WholeObjects;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicaSetSpec;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.ReplicationControllerSpec;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import io.evenkeel.v1.StatefulSet;
import io.evenkeel.v1.StatefulSetSpec;
import java.util.concurrent.TimeUnit;

/**
 * Creates events of the kinds that do not change in a generated cluster: nodes send heartbeats and pods are created and
 * deleted, but owners stay the same. Without events, Evenkeel knows these kinds by resourceVersions older than a
 * scheduler's first lists, and the two can be compared only after a bookmark, which takes up to a minute.
 */
final class IdleKinds {
    private static final String NOBODY = "nobody";
    private static final long HEARD_WITHIN_SECONDS = 2;

    private IdleKinds() {}

    /** Creates owners that select no pod. Returns once all watchers have received them. */
    static void wake(ApiServer server, String namespace) throws InterruptedException {
        LabelSelector selector =
                LabelSelector.newBuilder().putMatchLabels("app", NOBODY).build();
        ObjectMeta metadata =
                ObjectMeta.newBuilder().setNamespace(namespace).setName(NOBODY).build();
        Calls calls = new Calls();
        calls.submit(() -> server.create(
                ObjectKind.SERVICE,
                namespace,
                WholeObjects.service(Service.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(ServiceSpec.newBuilder().putSelector("app", NOBODY))
                        .build())));
        calls.submit(() -> server.create(
                ObjectKind.REPLICATION_CONTROLLER,
                namespace,
                WholeObjects.replicationController(ReplicationController.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(ReplicationControllerSpec.newBuilder().putSelector("app", NOBODY))
                        .build())));
        calls.submit(() -> server.create(
                ObjectKind.REPLICA_SET,
                namespace,
                WholeObjects.replicaSet(ReplicaSet.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(ReplicaSetSpec.newBuilder().setSelector(selector))
                        .build())));
        calls.submit(() -> server.create(
                ObjectKind.STATEFUL_SET,
                namespace,
                WholeObjects.statefulSet(StatefulSet.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(StatefulSetSpec.newBuilder().setSelector(selector))
                        .build())));
        calls.await();
        TimeUnit.SECONDS.sleep(HEARD_WITHIN_SECONDS);
    }
}
