package io.evenkeel.lab.scheduler;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.Calls;
import io.evenkeel.lab.controlplane.WholeObjects;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes a filled cluster while a turn binds pods, one change per {@value #BOUND_FOR_EACH} bindings. Pods are deleted.
 * If there are Deployments to roll, these roll, and nodes are added, deleted, cordoned, tainted and relabelled, each
 * for a while. Equal turns make equal changes. Thread-safe.
 */
final class RaceChanges {
    private static final int BOUND_FOR_EACH = 10;
    private static final int KINDS = 6;
    /** The kinds that change a node in one round, and revert the change in the next. */
    private static final int FIRST_THAT_ENDS = 1;

    private static final int LAST_THAT_ENDS = 4;
    private static final int STEP = 7_919;

    private final ApiServer server;
    private final ClusterGenerator cluster;
    private final @Nullable Rollouts rollouts;
    private final Calls calls = new Calls();
    /** The last round, by kind. */
    private final int[] rounds = new int[KINDS];
    /** Whether the last round made a change that is not reverted yet, by kind. */
    private final boolean[] inProgress = new boolean[KINDS];

    private boolean ended;

    /** @param rollouts null if pods are deleted and nothing else changes */
    RaceChanges(ApiServer server, ClusterGenerator cluster, @Nullable Rollouts rollouts) {
        this.server = server;
        this.cluster = cluster;
        this.rollouts = rollouts;
    }

    /** Called for each binding with the number of bound pods. Has no effect after {@link #end}. */
    synchronized void bound(int count) {
        if (!ended && count % BOUND_FOR_EACH == 0) {
            int number = count / BOUND_FOR_EACH;
            try {
                if (rollouts == null) {
                    deletePod(number);
                } else {
                    ofKind(number % KINDS, number, rollouts);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CompletionException(e);
            }
        }
    }

    /**
     * Reverts the last change of each kind, as the next round would, and waits until all changes are made. This makes
     * the scheduler retry pods that did not fit meanwhile; no other node event would.
     */
    synchronized void end() throws InterruptedException {
        ended = true;
        // If a revert overtook its change, it would have no effect, and the change would stay.
        calls.await();
        for (int kind = FIRST_THAT_ENDS; kind <= LAST_THAT_ENDS; kind++) {
            if (inProgress[kind]) {
                onNode(kind, rounds[kind] + 1);
            }
        }
        calls.await();
    }

    private void ofKind(int kind, int number, Rollouts rolling) throws InterruptedException {
        int round = number / KINDS;
        if (kind == 0) {
            deletePod(number);
        } else if (kind <= LAST_THAT_ENDS) {
            onNode(kind, round);
        } else {
            submit(() -> rolling.roll(round));
        }
    }

    /** Even rounds make a change, and the odd round after each reverts it. */
    private void onNode(int kind, int round) throws InterruptedException {
        boolean begins = round % 2 == 0;
        int pair = round / 2;
        rounds[kind] = round;
        inProgress[kind] = begins;
        String name = "node-%05d"
                .formatted((int) ((long) pair * STEP % cluster.shape().nodes()));
        switch (kind) {
            case 1 -> {
                Node extra = extraNode(pair);
                if (begins) {
                    submit(() -> server.create(ObjectKind.NODE, "", WholeObjects.node(extra)));
                } else {
                    submit(() -> server.call(
                            "DELETE",
                            ApiResource.path(ObjectKind.NODE)
                                    + '/'
                                    + extra.getMetadata().getName(),
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
            default -> {
                String zone = begins ? "zone-" + (1 + pair % cluster.shape().zones()) : cluster.zoneOf(name);
                patch(name, "{\"metadata\": {\"labels\": {\"" + Labels.ZONE + "\": \"" + zone + "\"}}}");
            }
        }
    }

    private void patch(String node, String patch) throws InterruptedException {
        submit(() -> server.call("PATCH", ApiResource.path(ObjectKind.NODE) + '/' + node, patch));
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

    private void deletePod(int number) throws InterruptedException {
        // Each pod of the filled cluster is deleted at most once.
        ObjectMeta pod = cluster.pod(
                        (int) ((long) number * STEP % cluster.shape().pods()))
                .getMetadata();
        submit(() ->
                server.call("DELETE", ApiResource.path(ObjectKind.POD, pod.getNamespace()) + '/' + pod.getName(), ""));
    }

    private void submit(Supplier<? extends CompletableFuture<?>> call) throws InterruptedException {
        calls.submit(() -> call.get().<Object>handle((done, failed) -> {
            // Preemption or an earlier change may already have deleted it.
            if (failed != null && !ApiServer.isNotFound(failed)) {
                throw new CompletionException(failed);
            }
            return server;
        }));
    }
}
