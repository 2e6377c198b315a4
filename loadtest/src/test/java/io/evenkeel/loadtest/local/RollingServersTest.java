package io.evenkeel.loadtest.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.ClusterObjects;
import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.EvaluationStream;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Restarts servers in separate processes one after another, with SIGTERM, while one client sends queries, assumes pods
 * and asks on a stream. Only what the documentation says may fail.
 */
@Timeout(180)
@Tag("long")
final class RollingServersTest {
    private static final int ASKERS = 4;
    private static final int RESTARTS = 4;
    private static final int ANSWERS_BETWEEN = 200;

    private static final EvaluateRequest QUESTION = Query.of(Pod.newBuilder()
                    .setMetadata(ObjectMeta.newBuilder().setNamespace("shop"))
                    .build())
            .best(1)
            .toEvaluate();

    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Queue<ErrorCode> endsOfStreams = new ConcurrentLinkedQueue<>();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong answeredOnStreams = new AtomicLong();
    private volatile boolean stopped;

    /** A server that restarts on the same port. */
    private static final class Replica implements AutoCloseable {
        private final String address;
        private ServerUnderTest server;

        Replica() throws IOException {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                address = "127.0.0.1:" + free.getLocalPort();
            }
            server = started(address);
        }

        private static ServerUnderTest started(String address) throws IOException {
            ServerUnderTest started = ServerUnderTest.serve("--listen", address, "--warm-up", "0");
            ClusterObject node = ClusterObjects.of(Node.newBuilder()
                    .setMetadata(ObjectMeta.newBuilder().setName("node-a").setUid("uid-of-node-a"))
                    .build());
            try (PlacementClient own = RemotePlacement.connect(address);
                    ClusterFeed feed = own.feed()) {
                feed.snapshot(List.of(node).iterator());
            }
            return started;
        }

        void restart() throws IOException {
            server.close();
            server = started(address);
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @Test
    void onlyStreamsEnd_whileServersAreRestartedOneAfterAnother() throws Exception {
        try (Replica first = new Replica();
                Replica second = new Replica();
                PlacementClient client = RemotePlacement.builder(List.of(first.address, second.address))
                        .build()) {
            List<Thread> askers = new ArrayList<>();
            for (int i = 0; i < ASKERS; i++) {
                Thread asker = new Thread(() -> ask(client), "asker-" + i);
                askers.add(asker);
                asker.start();
            }
            for (Runnable other : List.<Runnable>of(() -> assume(client), () -> askOnStreams(client))) {
                Thread thread = new Thread(other, "other");
                askers.add(thread);
                thread.start();
            }
            try {
                for (int turn = 0; turn < RESTARTS; turn++) {
                    awaitAnswers();
                    (turn % 2 == 0 ? first : second).restart();
                }
                awaitAnswers();
            } finally {
                stopped = true;
                for (Thread each : askers) {
                    each.join();
                }
            }
        }
        assertEquals(List.of(), List.copyOf(failures));
        assertTrue(Set.of(ErrorCode.UNAVAILABLE).containsAll(endsOfStreams), endsOfStreams.toString());
        assertTrue(answeredOnStreams.get() >= ANSWERS_BETWEEN, answeredOnStreams.toString());
    }

    /** Assumes a pod and reverts that, again and again, perhaps on another server. */
    private void assume(PlacementClient client) {
        for (int i = 0; !stopped; i++) {
            String uid = "pod-" + i;
            Pod pod = Pod.newBuilder()
                    .setMetadata(ObjectMeta.newBuilder()
                            .setNamespace("shop")
                            .setName(uid)
                            .setUid(uid))
                    .build();
            try {
                client.assume(AssumeRequest.newBuilder()
                        .addPods(AssumedPod.newBuilder().setPod(pod).setNode("node-a"))
                        .build());
                client.forget(ForgetRequest.newBuilder().addUids(uid).build());
            } catch (PlacementException e) {
                failures.add(e);
            }
        }
    }

    /** Asks on one stream, and on another one when it has ended. Streams do not wait for a server. */
    private void askOnStreams(PlacementClient client) {
        while (!stopped) {
            try (EvaluationStream stream = client.evaluationStream()) {
                while (!stopped) {
                    stream.evaluate(QUESTION).join();
                    answeredOnStreams.incrementAndGet();
                }
            } catch (CompletionException e) {
                if (e.getCause() instanceof PlacementException ended) {
                    endsOfStreams.add(ended.code());
                } else {
                    failures.add(e);
                }
            } catch (PlacementException e) {
                endsOfStreams.add(e.code());
            }
        }
    }

    private void ask(PlacementClient client) {
        while (!stopped) {
            try {
                client.evaluate(QUESTION);
                answered.incrementAndGet();
            } catch (PlacementException e) {
                failures.add(e);
            }
        }
    }

    private void awaitAnswers() throws InterruptedException {
        long wanted = answered.get() + ANSWERS_BETWEEN;
        while (answered.get() < wanted) {
            Thread.sleep(1);
        }
    }
}
