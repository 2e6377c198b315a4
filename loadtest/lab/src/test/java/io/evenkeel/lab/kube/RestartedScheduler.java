package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.ClusterObjects;
import io.evenkeel.client.FeedOptions;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.SchedulerStream;
import io.evenkeel.engine.Await;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.SyncResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * A scheduler with its own copy of a cluster. It feeds a server on a stream of {@code SyncAndEvaluate}, and asks about
 * a pod after each step. When the stream ends, a successor begins another one with a snapshot.
 *
 * <pre>
 *   etcd ── changes ──► copy ── snapshot; step, question, step, question … ──► proxy ──► server
 *                                                                           slow, cut
 * </pre>
 *
 * Each answer must name the versions that were sent before the question, and no others.
 */
final class RestartedScheduler implements AutoCloseable {
    private static final int OBJECTS_IN_A_MESSAGE = 500;
    private static final int MANY_UNANSWERED = 20;
    private static final long MILLIS_BETWEEN_STEPS = 50;

    private final BlockingQueue<EtcdHistory.ObjectChange> changes;
    private final SoakedServer server;
    private final CutProxy proxy;
    private final List<Pod> questions;

    /** The objects by their keys in etcd. */
    private final Map<String, ClusterObject> copy = new HashMap<>();

    /** The version of the last change of each kind in the copy. */
    private final Map<ObjectKind, Long> versions = new EnumMap<>(ObjectKind.class);

    private final AtomicInteger unanswered = new AtomicInteger();
    private final List<VersionedAnswer> answers = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private final Map<ErrorReason, Integer> ends = new TreeMap<>();
    private final Thread thread = new Thread(this::run, "scheduler");
    private int asked;
    private volatile boolean diesInSnapshot;
    private volatile boolean closed;

    /**
     * Starts it.
     *
     * @param changes all changes of the cluster
     * @param questions the pods about which it asks in turn
     */
    RestartedScheduler(BlockingQueue<EtcdHistory.ObjectChange> changes, SoakedServer server, List<Pod> questions)
            throws IOException {
        this.changes = changes;
        this.server = server;
        this.questions = questions;
        proxy = new CutProxy(server.port());
        // A kind without objects has a version too.
        for (ObjectKind kind : ObjectKind.values()) {
            versions.put(kind, 1L);
        }
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!closed) {
            CompletableFuture<?> end = new CompletableFuture<>();
            try (PlacementClient client = server.connectWithCertificate("127.0.0.1:" + proxy.port());
                    SchedulerStream stream = client.schedulerStream(FeedOptions.named("scheduler"))) {
                sendSnapshot(stream.feed());
                while (!closed) {
                    step(stream, end);
                    TimeUnit.MILLISECONDS.sleep(MILLIS_BETWEEN_STEPS);
                    if (end.isDone()) {
                        end.join();
                    }
                }
            } catch (CompletionException e) {
                ended(e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void sendSnapshot(ClusterFeed feed) {
        List<ClusterEvent> unused = takeChanges();
        Map<io.evenkeel.v1.ObjectKind, String> listed = versions.entrySet().stream()
                .collect(Collectors.toMap(
                        version -> KindMessages.inMessages(version.getKey()),
                        version -> version.getValue().toString()));
        requireApplied(feed.beginSnapshot(listed.keySet()).join());
        List<ClusterObject> objects = List.copyOf(copy.values());
        for (int from = 0; from < objects.size(); from += OBJECTS_IN_A_MESSAGE) {
            if (diesInSnapshot && from > objects.size() / 2) {
                diesInSnapshot = false;
                proxy.cut();
            }
            int to = Math.min(objects.size(), from + OBJECTS_IN_A_MESSAGE);
            requireApplied(feed.objects(objects.subList(from, to)).join());
        }
        requireApplied(feed.endSnapshot(listed).join());
    }

    /** @param end fails if the stream does */
    private void step(SchedulerStream stream, CompletableFuture<?> end) {
        CompletableFuture<?> applied = stream.feed().events(takeChanges()).thenAccept(this::requireApplied);
        Map<ObjectKind, Long> sent = Map.copyOf(versions);
        Pod pod = questions.get(asked++ % questions.size());
        unanswered.incrementAndGet();
        CompletableFuture<?> answered = stream.evaluations()
                .evaluate(VersionedAnswer.question(pod, Freshness.getDefaultInstance()))
                .whenComplete((response, failure) -> unanswered.decrementAndGet())
                .thenAccept(response -> keep(VersionedAnswer.of(pod, response), sent));
        CompletableFuture<?> unused = CompletableFuture.allOf(applied, answered).exceptionally(failure -> {
            end.completeExceptionally(failure);
            return null;
        });
    }

    /** Adds the changes so far to the copy. Returns them as events. */
    private List<ClusterEvent> takeChanges() {
        List<EtcdHistory.ObjectChange> taken = new ArrayList<>();
        changes.drainTo(taken);
        List<ClusterEvent> events = new ArrayList<>();
        for (EtcdHistory.ObjectChange change : taken) {
            versions.put(change.kind(), change.revision());
            ClusterObject state = change.object();
            if (state == null) {
                ClusterObject before = Objects.requireNonNull(copy.remove(change.key()), change.key());
                events.add(ClusterObjects.deleted(change.versioned(before)));
            } else {
                ClusterObject now = change.versioned(state);
                ClusterObject before = copy.put(change.key(), now);
                events.add(before == null ? ClusterObjects.added(now) : ClusterObjects.modified(now));
            }
        }
        return events;
    }

    private synchronized void requireApplied(SyncResponse response) {
        response.getRefusalsList().forEach(refusal -> wrong.add("an object was rejected: " + refusal));
    }

    private synchronized void keep(VersionedAnswer answer, Map<ObjectKind, Long> sent) {
        if (!answer.versions().equals(sent)) {
            wrong.add("an answer is based on %s instead of %s".formatted(answer.versions(), sent));
        }
        answers.add(answer);
    }

    private synchronized void ended(CompletionException e) {
        System.out.println("scheduler: its stream ended: " + e.getCause());
        if (e.getCause() instanceof PlacementException failed) {
            ends.merge(failed.reason(), 1, Integer::sum);
        } else {
            wrong.add(e.toString());
        }
    }

    /**
     * Cuts its connection in the middle of steps and questions, and that of its successor in the middle of the
     * snapshot.
     */
    void kill() throws InterruptedException {
        proxy.slow(ApiServerFaults.SLOW_BYTES_PER_SECOND);
        Await.until(() -> unanswered.get() >= MANY_UNANSWERED);
        diesInSnapshot = true;
        proxy.cut();
        proxy.slow(Integer.MAX_VALUE);
        Await.until(() -> !diesInSnapshot);
    }

    /** Requires that streams ended for no other reasons than the faults of these rounds. */
    synchronized void requireEnds(int rounds) {
        assertEquals(
                Map.of(
                        ErrorReason.ERROR_REASON_UNSPECIFIED, 2 * rounds,
                        ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, 2 * rounds),
                ends);
    }

    /** The answers since the last call of this method. Requires that nothing was wrong. */
    synchronized List<VersionedAnswer> takeAnswers() {
        assertEquals(List.of(), wrong);
        List<VersionedAnswer> taken = List.copyOf(answers);
        answers.clear();
        return taken;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        thread.interrupt();
        proxy.close();
    }
}
