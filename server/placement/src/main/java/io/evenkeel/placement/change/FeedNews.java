package io.evenkeel.placement.change;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Queues events about feeds within writes of the engine, until listeners are notified outside of them. */
final class FeedNews {
    private final List<FeedListener> listeners = new CopyOnWriteArrayList<>();
    private final Queue<Consumer<FeedListener>> untold = new ConcurrentLinkedQueue<>();

    void listen(FeedListener listener) {
        listeners.add(listener);
    }

    /** Queues an event. Must be called within a write, so that events are in the order of the writes. */
    void add(Consumer<FeedListener> news) {
        untold.add(news);
    }

    /** Passes all queued events to the listeners, in order. */
    void tell() {
        if (untold.isEmpty()) {
            return;
        }
        synchronized (this) {
            for (Consumer<FeedListener> news = untold.poll(); news != null; news = untold.poll()) {
                listeners.forEach(news);
            }
        }
    }
}
