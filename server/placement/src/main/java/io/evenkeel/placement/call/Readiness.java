package io.evenkeel.placement.call;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether queries are answered, and whose snapshot is under way. Changed within the engine's writes only, which take
 * turns; read by anyone.
 *
 * <p>Queries are answered once a state was given (by an ended snapshot, a file, or events that changed something), and
 * not while the first snapshot is under way. A first snapshot that breaks off leaves a part of a cluster: only a whole
 * snapshot makes that a state.
 */
public final class Readiness {
    private final List<Consumer<Boolean>> listeners = new ArrayList<>();
    private boolean told;
    private @Nullable Object owner;
    private boolean ownerIsLoad;
    private boolean given;
    private boolean snapshotEnded;
    private boolean brokenOff;
    private volatile @Nullable String obstacle = "no cluster has been fed yet";

    /**
     * Whoever had a snapshot under way has lost it.
     *
     * @param load whether it is read from files: it cannot be lost to another
     * @throws RequestException where files are being loaded
     */
    public void beginSnapshot(Object newOwner, boolean load) {
        if (ownerIsLoad && owner != null && owner != newOwner) {
            throw RequestException.of(
                    ErrorCode.UNAVAILABLE,
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

    /** Events changed something. They complete no snapshot: neither one under way, nor a first one that broke off. */
    public void eventsApplied() {
        if (owner == null && !brokenOff) {
            given = true;
            update();
        }
    }

    /** Whether a state was given or is being given. */
    public boolean hasBegun() {
        return given || owner != null;
    }

    private void update() {
        if (owner != null && !snapshotEnded) {
            obstacle = "the first snapshot is under way";
        } else if (brokenOff) {
            obstacle = "the first snapshot broke off: a whole one must follow";
        } else {
            obstacle = given ? null : "no cluster has been fed yet";
        }
    }

    public boolean isReady() {
        return obstacle == null;
    }

    /** Refuses a query that cannot be answered yet. */
    void require() {
        String why = obstacle;
        if (why != null) {
            throw RequestException.of(ErrorCode.UNAVAILABLE, why);
        }
    }

    /** Has {@code listener} told now, and whenever it changes. */
    public synchronized void onChange(Consumer<Boolean> listener) {
        listeners.add(listener);
        listener.accept(told);
    }

    /**
     * Tells the listeners of a change, if there was one; outside the engine's write. One at a time, so that the last
     * told is the truth.
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
