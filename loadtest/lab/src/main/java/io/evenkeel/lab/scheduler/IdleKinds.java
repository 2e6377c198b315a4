package io.evenkeel.lab.scheduler;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.Calls;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Creates events of the kinds that do not change in a generated cluster: nodes send heartbeats and pods are created and
 * deleted, but owners stay the same. Without events, Evenkeel knows these kinds by resourceVersions older than a
 * scheduler's first lists, and the two can be compared only after a bookmark, which takes up to a minute.
 */
final class IdleKinds {
    private static final long HEARD_WITHIN_SECONDS = 2;

    private IdleKinds() {}

    /** Creates owners and a budget that select no pod. Returns once all watchers have received them. */
    static void wake(ApiServer server, String namespace) throws InterruptedException {
        Calls calls = new Calls();
        for (ObjectKind kind : ObjectKind.values()) {
            switch (kind) {
                case SERVICE, REPLICATION_CONTROLLER ->
                    calls.submit(() -> create(server, kind, namespace, "{\"app\": \"no-pods\"}"));
                case REPLICA_SET, STATEFUL_SET, POD_DISRUPTION_BUDGET ->
                    calls.submit(() -> create(server, kind, namespace, "{\"matchLabels\": {\"app\": \"no-pods\"}}"));
                case NODE, POD -> {}
            }
        }
        calls.await();
        TimeUnit.SECONDS.sleep(HEARD_WITHIN_SECONDS);
    }

    /** The server ignores the fields that the kind does not have. */
    private static CompletableFuture<?> create(ApiServer server, ObjectKind kind, String namespace, String selector) {
        return server.call("POST", ApiResource.path(kind, namespace), """
                {"metadata": {"name": "no-pods"},
                 "spec": {"selector": %s, "clusterIP": "None", "replicas": 0, "serviceName": "no-pods",
                  "template": {"metadata": {"labels": {"app": "no-pods"}},
                   "spec": {"containers": [{"name": "main", "image": "registry.example/app:1"}]}}}}""".formatted(selector));
    }
}
