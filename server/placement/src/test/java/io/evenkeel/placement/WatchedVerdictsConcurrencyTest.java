package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.placement.answer.WatchedVerdicts;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.PendingPod;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import io.evenkeel.v1.WatchedPod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that no pod is missed while several threads write and pods are added and removed. */
@Timeout(60)
final class WatchedVerdictsConcurrencyTest {
    private static final int WRITERS = 3;
    private static final int NODES_OF_WRITER = 2;
    private static final int ROUNDS = 1_500;
    private static final int KEYS = 40;
    private static final int KINDS = 5;

    /** A caller that remembers what it was sent, and does not always read. */
    private static final class Caller implements WatchedVerdicts.Outlet {
        private final AtomicBoolean reads = new AtomicBoolean(true);

        /** Whether a node was reported to pass for a key, since its last result. */
        private final Map<String, Boolean> passing = new HashMap<>();

        private final Set<String> watched = new HashSet<>();

        private final List<String> unexpected = new ArrayList<>();
        private long last;

        @Override
        public boolean isReady() {
            return reads.get();
        }

        @Override
        public synchronized void send(WatchUnblockedResponse response) {
            for (WatchedPod pod : response.getAddedList()) {
                passing.put(pod.getKey(), pod.getState().getPassedCount() > 0);
            }
            for (String key : response.getUnblockedList()) {
                if (passing.replace(key, true) == null
                        || !watched.contains(key)
                        || response.getRevision().getCounter() < last) {
                    unexpected.add(key);
                }
                last = response.getRevision().getCounter();
            }
        }

        synchronized void isWatched(String key, boolean is) {
            watched.remove(key);
            if (is) {
                watched.add(key);
            }
        }

        @Override
        public void fail(Throwable why) {
            throw new AssertionError(why);
        }
    }

    private static Node node(String name) {
        Node.Builder node = Messages.node(name, "zone").toBuilder();
        node.getStatusBuilder().putAllocatable("pods", StringValue.of("1"));
        return node.build();
    }

    private static void write(Instance instance, int writer) {
        Random random = new Random(writer);
        for (int round = 0; round < ROUNDS; round++) {
            List<ClusterObject> pods = new ArrayList<>();
            for (int node = 0; node < NODES_OF_WRITER; node++) {
                if (round == 0 || random.nextInt(4) > 0) {
                    pods.add(object(pod(writer + "-" + round + "-" + node, "n" + writer + node)));
                }
            }
            instance.clusterState().apply(apply(pods));
            ApplyRequest.Builder gone = ApplyRequest.newBuilder();
            pods.forEach(pod -> gone.addEvents(deleted(pod)));
            instance.clusterState().apply(gone.build());
        }
    }

    @Test
    void podsThatPassAtTheEnd_wereReported() throws Exception {
        Caller caller = new Caller();
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try (Instance instance = new Instance(InstanceOptions.standard());
                WatchedVerdicts watched = instance.placement().watchUnblocked().open(caller)) {
            for (int writer = 0; writer < WRITERS; writer++) {
                for (int node = 0; node < NODES_OF_WRITER; node++) {
                    instance.clusterState().apply(apply(List.of(object(node("n" + writer + node)))));
                }
            }
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                writers.add(threads.submit(() -> write(instance, number)));
            }
            Random random = new Random(7);
            while (writers.stream().anyMatch(writer -> !writer.isDone())) {
                String key = "k" + random.nextInt(KEYS);
                Pod pod = web().toBuilder()
                        .setMetadata(web().getMetadata().toBuilder().setNamespace("ns" + random.nextInt(KINDS)))
                        .build();
                caller.reads.set(random.nextInt(4) > 0);
                watched.handle(WatchUnblockedRequest.newBuilder().addRemove(key).build(), StopSignal.NEVER);
                caller.isWatched(key, false);
                if (random.nextInt(3) > 0) {
                    caller.isWatched(key, true);
                    watched.handle(
                            WatchUnblockedRequest.newBuilder()
                                    .addAdd(PendingPod.newBuilder().setKey(key).setPod(pod))
                                    .build(),
                            StopSignal.NEVER);
                }
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
            caller.reads.set(true);
            watched.flush();
            assertEquals(List.of(), caller.unexpected);
            assertTrue(caller.watched.size() > KEYS / 4, () -> "watched " + caller.watched);
            caller.watched.removeIf(key -> caller.passing.getOrDefault(key, false));
            assertEquals(Set.of(), caller.watched);
        } finally {
            threads.shutdownNow();
            assertTrue(threads.awaitTermination(30, TimeUnit.SECONDS));
        }
    }
}
