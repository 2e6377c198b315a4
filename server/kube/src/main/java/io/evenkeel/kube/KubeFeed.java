package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
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
 * Feeds an instance with what an API server has, until it is closed: a list of each kind, and then its watch. The kinds
 * are independent: each has its own connection, snapshot and waits. Where the API server cannot be reached, it tries
 * again for as long as it takes, and the instance keeps its last state. Safe for use by several threads.
 */
public final class KubeFeed implements AutoCloseable {
    /** How the feed names itself to the instance. */
    public static final String FEEDER = "kube";

    /** More would not be faster. */
    private static final int MOST_OBJECTS = 1_000;

    private static final long CLOSE_MILLIS = 2_000;

    /** How often it looks for quiet kinds in the time after which a kind is quiet. */
    private static final int LOOKS = 4;

    private final SharedClient client;
    private final Map<ObjectKind, KindFeed> feeds = new EnumMap<>(ObjectKind.class);
    private final List<Thread> threads = new ArrayList<>();

    /** Has a thread for each kind: one whose question gets no answer holds up none of the others. */
    private final ScheduledThreadPoolExecutor askers = new ScheduledThreadPoolExecutor(ObjectKind.ALL.size(), task -> {
        Thread thread = new Thread(task, "evenkeel-kube-ask");
        thread.setDaemon(true);
        return thread;
    });

    private KubeFeed(
            ClusterStateHandler state,
            int mostObjects,
            ClusterAccess access,
            KubeFeedListener listener,
            FedObjects objects,
            FeedTiming timing) {
        // Who is told of objects may wait for them.
        client = new SharedClient(objects == FedObjects.NOBODY ? access.withRest(state::rest) : access);
        for (ObjectKind kind : ObjectKind.ALL) {
            KindWriter writer = new KindWriter(
                    kind,
                    state,
                    FEEDER,
                    Math.min(MOST_OBJECTS, mostObjects),
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
     * Begins to feed.
     *
     * @param mostObjects how many objects the instance takes in one message
     */
    public static KubeFeed start(
            ClusterStateHandler state, int mostObjects, ClusterAccess access, KubeFeedListener listener) {
        return start(state, mostObjects, access, listener, FedObjects.NOBODY);
    }

    /** As {@link #start(ClusterStateHandler, int, ClusterAccess, KubeFeedListener)}, and tells of each object. */
    public static KubeFeed start(
            ClusterStateHandler state,
            int mostObjects,
            ClusterAccess access,
            KubeFeedListener listener,
            FedObjects objects) {
        return start(state, mostObjects, access, listener, objects, FeedTiming.real());
    }

    static KubeFeed start(
            ClusterStateHandler state,
            int mostObjects,
            ClusterAccess access,
            KubeFeedListener listener,
            FedObjects objects,
            FeedTiming timing) {
        KubeFeed feed = new KubeFeed(state, mostObjects, access, listener, objects, timing);
        state.expectSnapshots();
        feed.threads.forEach(Thread::start);
        long every = Math.max(1, timing.quiet().toMillis() / LOOKS);
        for (KindFeed kind : feed.feeds.values()) {
            ScheduledFuture<?> unused =
                    feed.askers.scheduleWithFixedDelay(kind::askWhereQuiet, every, every, TimeUnit.MILLISECONDS);
        }
        return feed;
    }

    /** The version up to which the kind was followed; 0 where it must be listed first. */
    long version(ObjectKind kind) {
        return Objects.requireNonNull(feeds.get(kind)).version();
    }

    /**
     * Ends the feeds. The instance keeps its state. Kinds that were never listed still wait for a list: events by Apply
     * make none of them ready.
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
