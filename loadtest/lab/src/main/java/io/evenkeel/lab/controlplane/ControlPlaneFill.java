package io.evenkeel.lab.controlplane;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Workload;
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
    private ControlPlaneFill() {}

    /**
     * Creates all objects.
     *
     * @throws CompletionException if an object is rejected
     */
    public static void fill(ApiServer server, ClusterGenerator cluster) throws InterruptedException {
        Set<String> namespaces = new TreeSet<>();
        for (Workload workload : cluster.workloads()) {
            namespaces.add(workload.namespace());
        }
        Calls calls = new Calls();
        for (String namespace : namespaces) {
            calls.submit(() ->
                    server.call("POST", "/api/v1/namespaces", "{\"metadata\": {\"name\": \"" + namespace + "\"}}"));
        }
        calls.await();
        for (Iterator<ClusterObject> objects = cluster.objects(); objects.hasNext(); ) {
            ClusterObject object = objects.next();
            calls.submit(() -> create(server, object));
        }
        calls.await();
    }

    private static CompletableFuture<Void> create(ApiServer server, ClusterObject object) {
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
