package io.evenkeel.lab.kube;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.WholeObjects;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PodDisruptionBudgetSpec;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.ReplicationControllerSpec;
import io.evenkeel.v1.StatefulSet;
import io.evenkeel.v1.StatefulSetSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes random changes to a generated cluster on an API server, at a steady rate, until it is closed: pods are created,
 * bound, relabelled, finished and deleted, immediately or gracefully; nodes are changed and deleted; owners are created
 * and deleted. Changes that fail, as all do while the API server is down, are skipped.
 */
final class RandomApiChanges implements AutoCloseable {
    private static final int MAX_OWN_PODS = 2_000;
    private static final String DELETE_NOW = "{\"gracePeriodSeconds\": 0}";

    private record Named(String namespace, String name) {}

    private final ApiServer server;
    private final ClusterGenerator cluster;
    private final int perSecond;
    private final Random random;

    /** Pods that were created and not yet deleted. Guarded by itself. */
    private final List<Named> bound = new ArrayList<>();

    private final List<Node> nodes = new ArrayList<>();
    private final Semaphore room = new Semaphore(ApiServer.IN_FLIGHT);
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final Thread thread = new Thread(this::run, "cluster-changes");
    private volatile boolean closed;
    private int number;

    RandomApiChanges(ApiServer server, ClusterGenerator cluster, int perSecond, long seed) throws IOException {
        this.server = server;
        this.cluster = cluster;
        this.perSecond = perSecond;
        random = new Random(seed);
        for (Message node : server.list(ObjectKind.NODE)) {
            nodes.add((Node) node);
        }
        for (int i = 0; i < cluster.shape().pods(); i += 10) {
            ObjectMeta pod = cluster.pod(i).getMetadata();
            bound.add(new Named(pod.getNamespace(), pod.getName()));
        }
        thread.setDaemon(true);
        thread.start();
    }

    /** The number of changes made. */
    int made() {
        return made.get();
    }

    /** The number of failed changes. */
    int failed() {
        return failed.get();
    }

    /** Waits until {@code more} further changes were made. */
    void await(int more) throws InterruptedException {
        for (int until = made() + more; made() < until; ) {
            if (!thread.isAlive()) {
                throw new IllegalStateException("changes stopped after " + made());
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private void run() {
        long begin = System.nanoTime();
        for (long i = 0; !closed; i++) {
            try {
                long due = begin + i * 1_000_000_000 / perSecond;
                TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
                room.acquire();
            } catch (InterruptedException e) {
                return;
            }
            CompletableFuture<?> unused = change().whenComplete((done, failure) -> {
                (failure == null ? made : failed).incrementAndGet();
                room.release();
            });
        }
    }

    private CompletableFuture<?> change() {
        int chance = random.nextInt(100);
        Workload workload =
                cluster.workloads().get(random.nextInt(cluster.workloads().size()));
        int pods = pods();
        // Without the first condition, failing deletions, as while the server is down, would leave no pods.
        if (pods == 0 || chance < 35 && pods < MAX_OWN_PODS + cluster.shape().pods() / 10) {
            return podThatIsBound(workload);
        } else if (chance < 65) {
            return server.call("DELETE", path(takeBound()), DELETE_NOW);
        } else if (chance < 75) {
            // Without a kubelet, it terminates forever.
            return server.call("DELETE", path(anyBound()), "{\"gracePeriodSeconds\": 3600}");
        } else if (chance < 82) {
            return server.call(
                    "PATCH", path(anyBound()) + "/status", "{\"status\": {\"phase\": \"%s\"}}".formatted(phase()));
        } else if (chance < 89) {
            return server.call(
                    "PATCH",
                    path(anyBound()),
                    "{\"metadata\": {\"labels\": {\"app\": \"%s\"}}}".formatted(workload.name()));
        } else if (chance < 96) {
            return changeOfNode();
        }
        return changeOfOwnerOrBudget(workload);
    }

    private String phase() {
        return List.of("Running", "Succeeded", "Failed").get(random.nextInt(3));
    }

    private int pods() {
        synchronized (bound) {
            return bound.size();
        }
    }

    private Named anyBound() {
        synchronized (bound) {
            return bound.get(random.nextInt(bound.size()));
        }
    }

    private Named takeBound() {
        synchronized (bound) {
            return bound.remove(random.nextInt(bound.size()));
        }
    }

    private void isBound(Named pod) {
        synchronized (bound) {
            bound.add(pod);
        }
    }

    private static String path(Named pod) {
        return ApiResource.path(ObjectKind.POD, pod.namespace()) + "/" + pod.name();
    }

    private CompletableFuture<?> podThatIsBound(Workload workload) {
        Named pod = new Named(workload.namespace(), "%s-%06d".formatted(workload.name(), number++));
        ObjectMeta metadata = workload.incomingPod().getMetadata().toBuilder()
                .setName(pod.name())
                .build();
        String node = anyNode().getMetadata().getName();
        Pod unbound = workload.incomingPod().toBuilder().setMetadata(metadata).build();
        return server.create(ObjectKind.POD, pod.namespace(), WholeObjects.pod(unbound))
                .thenCompose(created -> server.call("POST", path(pod) + "/binding", """
                        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s"},
                         "target": {"apiVersion": "v1", "kind": "Node", "name": "%s"}}""".formatted(pod.name(), node)))
                .thenAccept(done -> isBound(pod));
    }

    private Node anyNode() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    private CompletableFuture<?> changeOfNode() {
        Node node = anyNode();
        String path =
                ApiResource.path(ObjectKind.NODE) + "/" + node.getMetadata().getName();
        return switch (random.nextInt(4)) {
            case 0 -> server.call("PATCH", path, "{\"spec\": {\"unschedulable\": %b}}".formatted(random.nextBoolean()));
            case 1 ->
                server.call(
                        "PATCH",
                        path,
                        "{\"spec\": {\"taints\": [{\"key\": \"drain\", \"value\": \"%d\", \"effect\": \"NoSchedule\"}]}}"
                                .formatted(random.nextInt(3)));
            case 2 ->
                server.call(
                        "PATCH",
                        path,
                        "{\"metadata\": {\"labels\": {\"topology.kubernetes.io/zone\": \"%s\"}}}"
                                .formatted(
                                        cluster.zoneOf(anyNode().getMetadata().getName())));
            default ->
                server.call("DELETE", path, "")
                        .thenCompose(deleted -> server.create(ObjectKind.NODE, "", WholeObjects.node(node)));
        };
    }

    private CompletableFuture<?> changeOfOwnerOrBudget(Workload workload) {
        String name = "%s-owner-%d".formatted(workload.name(), random.nextInt(3));
        ObjectKind kind = List.of(
                        ObjectKind.STATEFUL_SET, ObjectKind.REPLICATION_CONTROLLER, ObjectKind.POD_DISRUPTION_BUDGET)
                .get(random.nextInt(3));
        String all = ApiResource.path(kind, workload.namespace());
        ObjectMeta metadata = ObjectMeta.newBuilder()
                .setNamespace(workload.namespace())
                .setName(name)
                .build();
        LabelSelector selector = LabelSelector.newBuilder()
                .putMatchLabels("app", workload.name())
                .build();
        ByteString whole = switch (kind) {
            case STATEFUL_SET ->
                WholeObjects.statefulSet(StatefulSet.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(StatefulSetSpec.newBuilder().setSelector(selector))
                        .build());
            case POD_DISRUPTION_BUDGET ->
                PodDisruptionBudget.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(PodDisruptionBudgetSpec.newBuilder().setSelector(selector))
                        .build()
                        .toByteString();
            default ->
                WholeObjects.replicationController(ReplicationController.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(ReplicationControllerSpec.newBuilder().putSelector("app", workload.name()))
                        .build());
        };
        return server.create(kind, workload.namespace(), whole)
                .handle((created, failure) -> failure == null)
                .thenCompose(created -> created
                        ? CompletableFuture.completedFuture(null)
                        : server.call("DELETE", all + "/" + name, "{\"propagationPolicy\": \"Background\"}"));
    }

    /** Stops the changes, and waits for those in flight. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
            room.acquire(ApiServer.IN_FLIGHT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
    }
}
