package io.evenkeel.placement.change;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Keeps what has become of feeds, within writes of the engine, until listeners are told outside of them. */
final class FeedNews {
    private final List<FeedListener> listeners = new CopyOnWriteArrayList<>();
    private final Queue<Consumer<FeedListener>> untold = new ConcurrentLinkedQueue<>();

    void listen(FeedListener listener) {
        listeners.add(listener);
    }

    /** Adds a piece of news. To be called within a write, so that the order is that of the writes. */
    void add(Consumer<FeedListener> news) {
        untold.add(news);
    }

    /** Tells the listeners all news in order. */
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
