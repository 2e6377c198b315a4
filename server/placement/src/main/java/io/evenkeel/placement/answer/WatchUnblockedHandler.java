package io.evenkeel.placement.answer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens the streams of WatchUnblocked, and checks their pods after each change of the state, in the thread that has
 * made it and before that acknowledges it. Thread-safe.
 */
public final class WatchUnblockedHandler {
    private final EvaluateHandler.Services services;
    private final List<WatchedPods> streams = new CopyOnWriteArrayList<>();
    private final AtomicInteger pods = new AtomicInteger();
    private final AtomicInteger kinds = new AtomicInteger();

    public WatchUnblockedHandler(EvaluateHandler.Services services) {
        this.services = services;
        services.access().engine().onRevision(reached -> streams.forEach(WatchedPods::check));
    }

    /** Opens a stream. Close it when it ends. */
    public WatchedPods open(WatchedPods.Outlet outlet) {
        WatchedPods stream = new WatchedPods(services, this, outlet);
        streams.add(stream);
        return stream;
    }

    void close(WatchedPods stream) {
        streams.remove(stream);
    }

    /** Takes room for one more pod on any stream; returns false if there is none. */
    boolean takePod() {
        return take(pods, services.limits().watchedPods());
    }

    void givePodsBack(int count) {
        pods.addAndGet(-count);
    }

    /** Takes room for one more kind of pods on any stream; returns false if there is none. */
    boolean takeKind() {
        return take(kinds, services.limits().watchedKinds());
    }

    void giveKindBack() {
        kinds.decrementAndGet();
    }

    private static boolean take(AtomicInteger taken, int most) {
        return taken.getAndUpdate(now -> now < most ? now + 1 : now) < most;
    }
}
