package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * The state of a server that follows a cluster.
 *
 * @param server its name
 * @param history the cluster's
 * @param pod the pod about which the server is asked
 */
record FollowedState(String server, PlacementClient client, EtcdHistory history, Pod pod) {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Requires that the server recovers to the newest state by itself. */
    void require(String when) {
        long begin = System.nanoTime();
        VersionedAnswer answer = await(when, newest());
        System.out.printf(
                "%s: %s, after %,d ms, the answer names %s%n",
                server, when, (System.nanoTime() - begin) / 1_000_000, answer.versions());
    }

    /** The newest version of each kind that has had an object. */
    private Freshness newest() {
        Freshness.Builder newest = Freshness.newBuilder();
        for (ObjectKind kind : ObjectKind.values()) {
            if (history.newest(kind) > 0) {
                newest.addResourceVersions(KindVersion.newBuilder()
                        .setKind(KindMessages.inMessages(kind))
                        .setResourceVersion(Long.toString(history.newest(kind))));
            }
        }
        return newest.build();
    }

    /**
     * An answer that names versions of all kinds. Asks again if the requirement is not met within a call's deadline, or
     * if versions are unknown for a while.
     */
    VersionedAnswer await(String when, Freshness demanded) {
        long begin = System.nanoTime();
        while (true) {
            PlacementException failed = null;
            try {
                VersionedAnswer answer = VersionedAnswer.ask(client, pod, demanded);
                if (answer.namesAll()) {
                    return answer;
                }
            } catch (PlacementException e) {
                failed = e;
            }
            if (System.nanoTime() - begin > PATIENCE.toNanos()) {
                throw new AssertionError(
                        server + ": no newest answer that names versions of all kinds " + when, failed);
            }
            pause();
        }
    }

    /**
     * Requires, after all changes, that the list of each kind matches the history, that answers match that state, and
     * that feeding the list changes nothing in the server.
     *
     * @param target the address at which the server accepts the list
     */
    void requireListed(ApiServer cluster, List<Pod> pods, String target) throws IOException, InvalidObjectException {
        Freshness.Builder demanded = Freshness.newBuilder();
        for (ObjectKind kind : ObjectKind.values()) {
            assertEquals(
                    cluster.list(kind).size(),
                    history.objects(kind, Long.MAX_VALUE).size(),
                    kind::kindName);
            demanded.addResourceVersions(KindVersion.newBuilder()
                    .setKind(KindMessages.inMessages(kind))
                    .setResourceVersion(Long.toString(Math.max(1, history.newest(kind)))));
        }
        Model model = new Model(history);
        for (Pod each : pods) {
            VersionedAnswer answer = VersionedAnswer.ask(client, each, demanded.build());
            assertEquals(model.values(each, answer.versions()), answer.values());
            for (ObjectKind kind : ObjectKind.values()) {
                assertTrue(Objects.requireNonNull(answer.versions().get(kind)) >= history.newest(kind), kind::kindName);
            }
        }
        assertEquals(List.of(), PlainList.changes(cluster, target));
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }
}
