package io.evenkeel.lab.controlplane;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.text.Progress;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.v1.ClusterObject;
import java.util.Iterator;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Creates the objects of a generated cluster on an API server. Its terminating pods are not terminating on the server.
 */
public final class ControlPlaneFill {
    private final ApiServer server;
    private final Calls calls = new Calls();

    private ControlPlaneFill(ApiServer server) {
        this.server = server;
    }

    /**
     * Creates all objects, and shows progress on {@code screen}.
     *
     * @throws CompletionException if an object is rejected
     */
    public static void fill(ApiServer server, ClusterGenerator cluster, Screen screen) throws InterruptedException {
        ControlPlaneFill fill = new ControlPlaneFill(server);
        Set<String> namespaces = new TreeSet<>();
        for (Workload workload : cluster.workloads()) {
            namespaces.add(workload.namespace());
        }
        for (String namespace : namespaces) {
            fill.calls.submit(() ->
                    server.call("POST", "/api/v1/namespaces", "{\"metadata\": {\"name\": \"" + namespace + "\"}}"));
        }
        fill.calls.await();
        Progress progress = new Progress(screen, "objects created", cluster.objectCount());
        for (Iterator<ClusterObject> objects = cluster.objects(); objects.hasNext(); ) {
            ClusterObject object = objects.next();
            fill.calls.submit(() -> fill.create(object));
            progress.step();
        }
        fill.calls.await();
        progress.end();
    }

    private CompletableFuture<Void> create(ClusterObject object) {
        return switch (object.getObjectCase()) {
            case NODE -> server.create(ObjectKind.NODE, "", WholeObjects.node(object.getNode()));
            case POD ->
                server.create(
                        ObjectKind.POD,
                        object.getPod().getMetadata().getNamespace(),
                        WholeObjects.pod(object.getPod()));
            case SERVICE ->
                server.create(
                        ObjectKind.SERVICE,
                        object.getService().getMetadata().getNamespace(),
                        WholeObjects.service(object.getService()));
            case REPLICA_SET ->
                server.create(
                        ObjectKind.REPLICA_SET,
                        object.getReplicaSet().getMetadata().getNamespace(),
                        WholeObjects.replicaSet(object.getReplicaSet()));
            default ->
                throw new IllegalArgumentException("unexpected kind of generated object: " + object.getObjectCase());
        };
    }
}
