package io.evenkeel.placement.call;

import io.evenkeel.v1.ErrorReason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether queries are answered, and knows whose snapshot is under way. It changes only within writes of the
 * engine, of which there is one at a time; any thread may read it.
 *
 * <p>Queries are answered once the server has a cluster: from a complete snapshot, a file, or events that changed
 * something. They are not answered while the first snapshot is under way. A first snapshot that breaks off leaves a
 * part of a cluster, so that queries must wait for a complete snapshot.
 */
public final class Readiness {
    private final List<Consumer<Boolean>> listeners = new ArrayList<>();
    private boolean told;
    private @Nullable Object owner;
    private boolean ownerIsLoad;
    private boolean given;
    private boolean snapshotEnded;
    private boolean brokenOff;
    private volatile @Nullable Obstacle obstacle = Obstacle.NOT_FED;

    /** Why queries are not answered. */
    private enum Obstacle {
        NOT_FED(ErrorReason.ERROR_REASON_NOT_FED, "no cluster has been fed yet"),
        FIRST_SNAPSHOT(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY, "the first snapshot is under way"),
        BROKEN_OFF(
                ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF,
                "the first snapshot broke off: a whole one must follow");

        private final ErrorReason reason;
        private final String message;

        Obstacle(ErrorReason reason, String message) {
            this.reason = reason;
            this.message = message;
        }
    }

    /**
     * Makes {@code newOwner} the owner of the snapshot under way, in place of another one.
     *
     * @param load whether the snapshot is read from files; no other snapshot can take its place then
     * @throws RequestException where files are being loaded
     */
    public void beginSnapshot(Object newOwner, boolean load) {
        if (ownerIsLoad && owner != null && owner != newOwner) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY,
                    "the server is loading a cluster from files: begin a snapshot when it has ended");
        }
        owner = newOwner;
        ownerIsLoad = load;
        update();
    }

    public boolean isOwner(Object of) {
        return owner == of;
    }

    public void endSnapshot() {
        owner = null;
        given = true;
        snapshotEnded = true;
        brokenOff = false;
        update();
    }

    public void abandonSnapshot() {
        owner = null;
        brokenOff = !given;
        update();
    }

    /**
     * Called when events have changed something. Events do not complete a snapshot, whether it is under way or broke
     * off.
     */
    public void eventsApplied() {
        if (owner == null && !brokenOff) {
            given = true;
            update();
        }
    }

    /** Whether a cluster has been fed, or is being fed. */
    public boolean hasBegun() {
        return given || owner != null;
    }

    private void update() {
        if (owner != null && !snapshotEnded) {
            obstacle = Obstacle.FIRST_SNAPSHOT;
        } else if (brokenOff) {
            obstacle = Obstacle.BROKEN_OFF;
        } else {
            obstacle = given ? null : Obstacle.NOT_FED;
        }
    }

    public boolean isReady() {
        return obstacle == null;
    }

    /** Refuses a query that cannot be answered yet. */
    void require() {
        Obstacle why = obstacle;
        if (why != null) {
            throw RequestException.of(why.reason, why.message);
        }
    }

    /** Calls {@code listener} now, and whenever readiness changes. */
    public synchronized void onChange(Consumer<Boolean> listener) {
        listeners.add(listener);
        listener.accept(told);
    }

    /**
     * Calls the listeners if readiness has changed. To be called outside of the engine's writes. Synchronized, so that
     * the last call that a listener gets has the present state.
     */
    public synchronized void tell() {
        boolean ready = isReady();
        if (ready != told) {
            told = ready;
            for (Consumer<Boolean> listener : listeners) {
                listener.accept(ready);
            }
        }
    }
}
