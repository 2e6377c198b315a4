package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.placement.ClusterStateHandler;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Feeds an instance from an API server until it is closed: lists each kind, and then watches it. The kinds are
 * independent: each has its own connection, snapshot and waits. While the API server is unreachable, the feed keeps
 * retrying and the instance keeps its last known state. Thread-safe.
 */
public final class KubeFeed implements AutoCloseable {
    /** The feeder name that the feed sends to the instance. */
    public static final String FEEDER = "kube";

    /** Larger batches are not faster. */
    private static final int MAX_OBJECTS = 1_000;

    private static final long CLOSE_MILLIS = 2_000;

    /** How often to check for quiet watches, per time that makes a watch quiet. */
    private static final int LOOKS = 4;

    private final SharedClient client;
    private final Map<ObjectKind, KindFeed> feeds = new EnumMap<>(ObjectKind.class);
    private final List<Thread> threads = new ArrayList<>();

    /** Has a thread for each kind, so that an unanswered request of one does not block the others. */
    private final ScheduledThreadPoolExecutor askers = new ScheduledThreadPoolExecutor(ObjectKind.ALL.size(), task -> {
        Thread thread = new Thread(task, "evenkeel-kube-ask");
        thread.setDaemon(true);
        return thread;
    });

    private KubeFeed(
            ClusterStateHandler state,
            int maxObjects,
            ClusterAccess access,
            KubeFeedListener listener,
            FedObjects objects,
            FeedTiming timing) {
        // A listener for objects may be waiting for them.
        client = new SharedClient(objects == FedObjects.NOBODY ? access.withRest(state::rest) : access);
        for (ObjectKind kind : ObjectKind.ALL) {
            KindWriter writer = new KindWriter(
                    kind,
                    state,
                    FEEDER,
                    Math.min(MAX_OBJECTS, maxObjects),
                    refusal -> listener.refused(kind, refusal),
                    objects);
            KindFeed feed = new KindFeed(kind, client, writer, listener, timing);
            Thread thread = new Thread(feed, "evenkeel-kube-" + ApiResource.plural(kind));
            thread.setDaemon(true);
            feeds.put(kind, feed);
            threads.add(thread);
        }
    }

    /**
     * Starts a feed.
     *
     * @param maxObjects the maximum number of objects in one message to the instance
     */
    public static KubeFeed start(
            ClusterStateHandler state, int maxObjects, ClusterAccess access, KubeFeedListener listener) {
        return start(state, maxObjects, access, listener, FedObjects.NOBODY);
    }

    /** Starts a feed that also passes each object to {@code objects}. */
    public static KubeFeed start(
            ClusterStateHandler state,
            int maxObjects,
            ClusterAccess access,
            KubeFeedListener listener,
            FedObjects objects) {
        return start(state, maxObjects, access, listener, objects, FeedTiming.real());
    }

    static KubeFeed start(
            ClusterStateHandler state,
            int maxObjects,
            ClusterAccess access,
            KubeFeedListener listener,
            FedObjects objects,
            FeedTiming timing) {
        KubeFeed feed = new KubeFeed(state, maxObjects, access, listener, objects, timing);
        state.expectSnapshots();
        feed.threads.forEach(Thread::start);
        long every = Math.max(1, timing.quiet().toMillis() / LOOKS);
        for (KindFeed kind : feed.feeds.values()) {
            ScheduledFuture<?> unused =
                    feed.askers.scheduleWithFixedDelay(kind::askWhereQuiet, every, every, TimeUnit.MILLISECONDS);
        }
        return feed;
    }

    /** The version up to which the kind was followed; 0 if it must be listed first. */
    long version(ObjectKind kind) {
        return Objects.requireNonNull(feeds.get(kind)).version();
    }

    /**
     * Ends the feeds. The instance keeps its state. Kinds that were never listed still need a list to become ready;
     * events sent through Apply are not enough.
     */
    @Override
    public void close() {
        feeds.values().forEach(KindFeed::close);
        client.close();
        askers.shutdownNow();
        threads.forEach(Thread::interrupt);
        long end = System.nanoTime() + CLOSE_MILLIS * 1_000_000;
        try {
            for (Thread thread : threads) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left > 0) {
                    thread.join(left);
                }
            }
            boolean unused = askers.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
