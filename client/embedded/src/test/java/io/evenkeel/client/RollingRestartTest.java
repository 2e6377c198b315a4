package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Restarts replicas one after another while a round-robin client queries them. */
@Timeout(120)
final class RollingRestartTest {
    private static final int ASKERS = 4;
    private static final int RESTARTS = 8;
    private static final int ANSWERS_BETWEEN = 200;

    private static final EvaluateRequest QUESTION = Query.of(Pod.newBuilder()
                    .setMetadata(ObjectMeta.newBuilder().setNamespace("shop"))
                    .build())
            .best(1)
            .toEvaluate();

    /** A server that comes back at the same port. */
    private static final class Replica implements AutoCloseable {
        private EvenkeelServer server;
        private final int port;

        Replica() throws IOException {
            server = EvenkeelServer.start(ServerOptions.onLoopback(0));
            port = server.port();
        }

        String address() {
            return "127.0.0.1:" + port;
        }

        void restart() throws IOException {
            server.close();
            server = EvenkeelServer.start(ServerOptions.onLoopback(port));
        }

        void feed() {
            ClusterObject node = ClusterObjects.of(Node.newBuilder()
                    .setMetadata(ObjectMeta.newBuilder().setName("node-a").setUid("uid-of-node-a"))
                    .build());
            try (PlacementClient own = RemotePlacement.connect(address());
                    ClusterFeed feed = own.feed()) {
                feed.snapshot(List.of(node).iterator());
            }
        }

        /** How many pods it has answered about since its last start. */
        long answers() {
            return server.instance().placement().podsJudged();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    /** Threads that send the next query as soon as they have an answer. */
    private static final class Askers implements AutoCloseable {
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicLong answered = new AtomicLong();
        private final Queue<PlacementException> failures = new ConcurrentLinkedQueue<>();
        private volatile boolean stopped;

        Askers(PlacementClient client, int count) {
            for (int i = 0; i < count; i++) {
                Thread thread = new Thread(() -> ask(client), "asker-" + i);
                threads.add(thread);
                thread.start();
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

        void awaitAnswers(int more) throws InterruptedException {
            long wanted = answered.get() + more;
            while (answered.get() < wanted) {
                Thread.sleep(1);
            }
        }

        @Override
        public void close() {
            stopped = true;
            for (Thread each : threads) {
                try {
                    each.join();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Test
    void noQueryFails_whileReplicasAreRestartedOneAfterAnother() throws Exception {
        try (Replica first = new Replica();
                Replica second = new Replica()) {
            List<Replica> replicas = List.of(first, second);
            replicas.forEach(Replica::feed);
            Askers askers;
            try (PlacementClient client = RemotePlacement.builder(List.of(first.address(), second.address()))
                            .build();
                    Askers running = new Askers(client, ASKERS)) {
                askers = running;
                for (int turn = 0; turn < RESTARTS; turn++) {
                    Replica next = replicas.get(turn % 2);
                    askers.awaitAnswers(ANSWERS_BETWEEN);
                    next.restart();
                    // Only the other one receives queries, although this one is alive.
                    askers.awaitAnswers(ANSWERS_BETWEEN);
                    assertEquals(0, next.answers());
                    next.feed();
                }
                for (Replica each : replicas) {
                    long before = each.answers();
                    while (each.answers() == before) {
                        askers.awaitAnswers(1);
                    }
                }
            }
            assertEquals(List.of(), List.copyOf(askers.failures));
            assertTrue(askers.answered.get() >= 2 * RESTARTS * ANSWERS_BETWEEN);
        }
    }

    @Test
    void addresses_areHostsWithPorts() {
        for (String wrong : List.of("", "127.0.0.1", "127.0.0.1:", ":7450", "a b:7450", "a:1/x", "::1:7450")) {
            assertThrows(IllegalArgumentException.class, () -> RemotePlacement.builder(List.of("a:1", wrong)), wrong);
        }
        assertThrows(IllegalArgumentException.class, () -> RemotePlacement.builder(List.of()));
    }

    @Test
    void addressOfIpv6_isReached_andAnUnknownHostIsSkipped() throws Exception {
        try (Replica replica = new Replica();
                PlacementClient client = RemotePlacement.builder(
                                List.of("nowhere.invalid:1", "[::ffff:127.0.0.1]:" + replica.port))
                        .build()) {
            replica.feed();
            assertTrue(client.evaluate(QUESTION).getAnswers(0).hasReadable());
        }
    }
}
