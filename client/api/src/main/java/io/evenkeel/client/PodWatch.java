package io.evenkeel.client;

import io.evenkeel.v1.PendingPod;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import io.evenkeel.v1.WatchedPod;
import io.evenkeel.v1.WatchedPodState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches pending pods on one stream (WatchUnblocked): {@link #await} returns those for which a node has begun to pass.
 * Each is named once until it is taken, however many events unblock it, so a slow caller loses none.
 *
 * <p>When the stream breaks, for example because the server restarts, unanswered and later calls fail; open another
 * watch, and add the pods again. Thread-safe.
 *
 * <pre>{@code
 * try (PlacementClient client = RemotePlacement.connect(target);
 *         PodWatch watch = client.watchUnblocked()) {
 *     WatchedPodState state = watch.add("shop/web-1", pod).join();
 *     if (state.getPassedCount() == 0) {
 *         Optional<UnblockedPods> unblocked = watch.await(Duration.ofMinutes(1));
 *         unblocked.ifPresent(found -> System.out.println("try again: " + found.keys()));
 *     }
 * }
 * }</pre>
 */
public final class PodWatch implements AutoCloseable {
    private static final int MAX_MESSAGES = 256;
    private static final long MAX_BYTES = 16L << 20;

    /** A message whose pods do not have all their results yet. */
    private record Waiting(int pods, long size, List<WatchedPod> results, CompletableFuture<List<WatchedPod>> future) {}

    /** Held while a message is sent, so that results come in the order of {@link #waiting}. */
    private final Object sending = new Object();

    private final Window window = new Window(MAX_MESSAGES, MAX_BYTES);
    private final Transport.Exchange<WatchUnblockedRequest> exchange;

    /** Guards the fields below; notified when pods are unblocked and when the stream ends. */
    private final Object state = new Object();

    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private final Set<String> watched = new HashSet<>();

    /** The pods that are not taken yet, in the order of their revisions. */
    private final Map<String, Revision> unblocked = new LinkedHashMap<>();

    private @Nullable PlacementException failure;

    PodWatch(Transport transport) {
        exchange = transport.open(ProtocolMethod.WATCH_UNBLOCKED, new Responses());
    }

    /**
     * Watches a pod under a key, for example its namespace and name. If a pod with this key is watched already, the new
     * one replaces it. The future fails if the pod is rejected, and is completed in another thread.
     */
    public CompletableFuture<WatchedPodState> add(String key, Pod pod) {
        return send(WatchUnblockedRequest.newBuilder()
                        .addAdd(PendingPod.newBuilder().setKey(key).setPod(pod))
                        .build())
                .thenApply(results -> stateOf(results.get(0)));
    }

    private static WatchedPodState stateOf(WatchedPod result) {
        return switch (result.getResultCase()) {
            case STATE -> result.getState();
            case ERROR -> throw PlacementException.of(result.getError());
            case RESULT_NOT_SET ->
                throw new PlacementException(
                        ErrorCode.INTERNAL, "invalid server response: the added pod has no result");
        };
    }

    /** Watches a pod no longer. An unknown key is ignored. */
    public void remove(String key) {
        CompletableFuture<List<WatchedPod>> unused =
                send(WatchUnblockedRequest.newBuilder().addRemove(key).build());
    }

    /**
     * Adds and removes pods in one message. The future has the results of the added pods, in order; it fails only with
     * the stream. Blocks while too much is under way.
     */
    public CompletableFuture<List<WatchedPod>> send(WatchUnblockedRequest message) {
        int pods = message.getAddCount();
        long size = message.getSerializedSize();
        try {
            if (pods > 0 && !window.enter(size)) {
                return CompletableFuture.failedFuture(ended());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(
                    new PlacementException(ErrorCode.CANCELLED, "interrupted while waiting for room on the stream"));
        }
        CompletableFuture<List<WatchedPod>> future = new CompletableFuture<>();
        synchronized (sending) {
            synchronized (state) {
                if (failure != null) {
                    return CompletableFuture.failedFuture(failure);
                }
                for (String key : message.getRemoveList()) {
                    watched.remove(key);
                    unblocked.remove(key);
                }
                if (pods > 0) {
                    waiting.add(new Waiting(pods, size, new ArrayList<>(pods), future));
                } else {
                    future.complete(List.of());
                }
            }
            exchange.send(Payload.of(message));
        }
        return future;
    }

    /**
     * The pods that were unblocked first and are not taken yet. Waits for some until the timeout has passed; then the
     * result is empty.
     *
     * @throws PlacementException if the stream has ended and all pods are taken
     */
    public Optional<UnblockedPods> await(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        synchronized (state) {
            while (unblocked.isEmpty() && failure == null) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return Optional.empty();
                }
                TimeUnit.NANOSECONDS.timedWait(state, left);
            }
            if (unblocked.isEmpty()) {
                throw ended();
            }
            return Optional.of(take());
        }
    }

    private UnblockedPods take() {
        List<String> keys = new ArrayList<>();
        Iterator<Map.Entry<String, Revision>> rest = unblocked.entrySet().iterator();
        Map.Entry<String, Revision> next = rest.next();
        Revision revision = next.getValue();
        while (next != null && next.getValue().equals(revision)) {
            keys.add(next.getKey());
            rest.remove();
            next = rest.hasNext() ? rest.next() : null;
        }
        return new UnblockedPods(revision, keys);
    }

    private PlacementException ended() {
        synchronized (state) {
            return failure == null ? new PlacementException(ErrorCode.CANCELLED, "the watch was closed") : failure;
        }
    }

    /** Ends the stream, and all watches on it. */
    @Override
    public void close() {
        end(new PlacementException(ErrorCode.CANCELLED, "the watch was closed"));
        exchange.cancel("closed by its caller");
    }

    private void end(PlacementException why) {
        List<Waiting> unanswered;
        synchronized (state) {
            if (failure == null) {
                failure = why;
            }
            unanswered = List.copyOf(waiting);
            waiting.clear();
            state.notifyAll();
        }
        window.close();
        unanswered.forEach(each -> each.future.completeExceptionally(why));
    }

    private final class Responses implements Transport.Answers<WatchUnblockedResponse> {
        @Override
        public void answered(WatchUnblockedResponse response) {
            List<Waiting> complete = new ArrayList<>();
            synchronized (state) {
                for (WatchedPod result : response.getAddedList()) {
                    add(result, complete);
                }
                for (String key : response.getUnblockedList()) {
                    // A pod that is removed may still be named by what was sent before.
                    if (watched.contains(key)) {
                        unblocked.remove(key);
                        unblocked.put(key, response.getRevision());
                        state.notifyAll();
                    }
                }
            }
            for (Waiting each : complete) {
                window.leave(each.size);
                // In another thread, because this one may be changing the state of an embedded index.
                each.future.completeAsync(() -> List.copyOf(each.results));
            }
        }

        private void add(WatchedPod result, List<Waiting> complete) {
            Waiting oldest = waiting.peek();
            if (oldest == null) {
                return;
            }
            if (result.hasState()) {
                watched.add(result.getKey());
            } else {
                watched.remove(result.getKey());
                unblocked.remove(result.getKey());
            }
            oldest.results.add(result);
            if (oldest.results.size() == oldest.pods) {
                complete.add(waiting.remove());
            }
        }

        @Override
        public void ended(@Nullable PlacementException reason) {
            end(reason == null ? new PlacementException(ErrorCode.UNAVAILABLE, "the server ended the stream") : reason);
        }
    }
}
