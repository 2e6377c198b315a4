package io.evenkeel.placement.answer;

import io.evenkeel.placement.query.QueryServices;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Opens the streams of WatchUnblocked, and checks their pods after each change of the state, in the thread that has
 * made it and before that acknowledges it. Thread-safe.
 */
public final class WatchUnblockedHandler {
    private final QueryServices services;
    private final List<WatchedVerdicts> streams = new CopyOnWriteArrayList<>();
    private final WatchRoom room;

    public WatchUnblockedHandler(QueryServices services) {
        this.services = services;
        room = new WatchRoom(services.limits().watchedPods(), services.limits().watchedKinds());
        services.access().engine().onRevision(reached -> streams.forEach(WatchedVerdicts::check));
    }

    /** Opens a stream. Close it when it ends. */
    public WatchedVerdicts open(WatchedVerdicts.Outlet outlet) {
        WatchedVerdicts stream = new WatchedVerdicts(services, room, outlet, streams::remove);
        streams.add(stream);
        return stream;
    }

    /** How many pods are watched on all streams. */
    public int watchedPods() {
        return room.pods();
    }

    /** How many kinds of pods are watched on all streams. */
    public int watchedKinds() {
        return room.kinds();
    }
}
