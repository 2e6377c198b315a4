package io.evenkeel.loadtest.scheduler;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.controlplane.ApiServer;
import io.evenkeel.loadtest.controlplane.Calls;
import io.evenkeel.loadtest.controlplane.Kind;
import io.evenkeel.loadtest.controlplane.WholeObjects;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicaSetSpec;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Changes a filled cluster while a turn binds pods, a change for some bindings: pods go; and where all kinds of changes
 * are asked for, nodes come, go, are cordoned, tainted and relabelled, each for a while, and workloads roll: a pod of a
 * next revision comes for one that goes. Equal turns make equal changes.
 */
final class ClusterChanges {
    private static final int BOUND_FOR_EACH = 10;
    private static final int KINDS = 6;
    private static final int STEP = 7_919;
    private static final String REVISION = "pod-template-hash";

    private final ApiServer server;
    private final ClusterGenerator cluster;
    private final boolean ofAllKinds;
    private final Calls calls = new Calls();

    ClusterChanges(ApiServer server, ClusterGenerator cluster, boolean ofAllKinds) {
        this.server = server;
        this.cluster = cluster;
        this.ofAllKinds = ofAllKinds;
    }

    /** Is told of each binding: how many pods are bound. */
    void bound(int count) {
        if (count % BOUND_FOR_EACH == 0) {
            int number = count / BOUND_FOR_EACH;
            try {
                if (ofAllKinds) {
                    ofKind(number % KINDS, number);
                } else {
                    deletePod(number);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CompletionException(e);
            }
        }
    }

    /** Waits until all changes were made. */
    void await() throws InterruptedException {
        calls.await();
    }

    private void ofKind(int kind, int number) throws InterruptedException {
        int round = number / KINDS;
        String name = "node-%05d"
                .formatted((int) ((long) round / 2 * STEP % cluster.shape().nodes()));
        boolean begins = round % 2 == 0;
        switch (kind) {
            case 0 -> deletePod(number);
            case 1 -> {
                Node extra = extraNode(round / 2);
                if (begins) {
                    submit(() -> server.create(Kind.NODE, "", WholeObjects.node(extra)));
                } else {
                    submit(() -> server.call(
                            "DELETE",
                            Kind.NODE.path() + '/' + extra.getMetadata().getName(),
                            ""));
                }
            }
            case 2 -> patch(name, "{\"spec\": {\"unschedulable\": " + begins + "}}");
            case 3 ->
                patch(
                        name,
                        begins
                                ? "{\"spec\": {\"taints\": [{\"key\": \"race\", \"effect\": \"NoSchedule\"}]}}"
                                : "{\"spec\": {\"taints\": []}}");
            case 4 -> {
                String zone =
                        begins ? "zone-" + (1 + round / 2 % cluster.shape().zones()) : cluster.zoneOf(name);
                patch(name, "{\"metadata\": {\"labels\": {\"" + Labels.ZONE + "\": \"" + zone + "\"}}}");
            }
            default -> roll(number);
        }
    }

    private void patch(String node, String patch) throws InterruptedException {
        submit(() -> server.call("PATCH", Kind.NODE.path() + '/' + node, patch));
    }

    private static Node extraNode(int number) {
        String name = "extra-%05d".formatted(number);
        return Node.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setName(name)
                        .putLabels(Labels.HOSTNAME, name)
                        .putLabels(Labels.ZONE, "zone-" + (1 + number % 3))
                        .putLabels(Labels.POOL, "general"))
                .build();
    }

    /** The pod of the filled cluster that goes with that number; each goes once. */
    private Pod goes(int number) {
        return cluster.pod((int) ((long) number * STEP % cluster.shape().pods()));
    }

    private void deletePod(int number) throws InterruptedException {
        ObjectMeta pod = goes(number).getMetadata();
        submit(() -> server.call("DELETE", Kind.POD.path(pod.getNamespace()) + '/' + pod.getName(), ""));
    }

    private void roll(int number) throws InterruptedException {
        Pod old = goes(number);
        String revision = "next" + number;
        Workload workload = cluster.workloads().stream()
                .filter(one -> one.name().equals(old.getMetadata().getLabelsOrDefault("app", "")))
                .findFirst()
                .orElseThrow();
        ReplicaSet next = ReplicaSet.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(workload.namespace())
                        .setName(workload.name() + '-' + revision))
                .setSpec(ReplicaSetSpec.newBuilder()
                        .setSelector(LabelSelector.newBuilder()
                                .putMatchLabels("app", workload.name())
                                .putMatchLabels(REVISION, revision)))
                .build();
        Pod.Builder comes = workload.incomingPod().toBuilder();
        comes.getMetadataBuilder()
                .setName(workload.name() + '-' + revision + "-00000")
                .putLabels(REVISION, revision)
                .getOwnerReferencesBuilder(0)
                .setName(next.getMetadata().getName());
        submit(() -> server.create(Kind.REPLICA_SET, workload.namespace(), WholeObjects.replicaSet(next))
                .thenCompose(
                        created -> server.create(Kind.POD, workload.namespace(), WholeObjects.pod(comes.build()))));
        deletePod(number);
    }

    private void submit(Supplier<? extends CompletableFuture<?>> call) throws InterruptedException {
        calls.submit(() -> call.get().<Object>handle((done, failed) -> {
            // What preemption or an earlier change has taken away is gone.
            if (failed != null && !ApiServer.isNotFound(failed)) {
                throw new CompletionException(failed);
            }
            return server;
        }));
    }
}
