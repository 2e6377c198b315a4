package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.time.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the phase of a kind's feed and why it last failed, and reports each change once: to the listener, and to the
 * status if it shows whether the API server is reachable. Nothing is reported after the feed has stopped.
 *
 * <p>Thread-safe: changes are reported in order, one at a time, by the thread that makes them.
 */
final class PhaseReport {
    private final ObjectKind kind;
    private final Clock clock;
    private final KindWriter writer;
    private final KubeFeedListener listener;

    /** The last reported state; null before the first. Written with the lock held, and read without it. */
    private volatile @Nullable KindState state;

    PhaseReport(ObjectKind kind, Clock clock, KindWriter writer, KubeFeedListener listener) {
        this.kind = kind;
        this.clock = clock;
        this.writer = writer;
        this.listener = listener;
    }

    /** A list or watch was requested. Keeps the problem. */
    synchronized void connecting() {
        report(KindState.Phase.CONNECTING, problem());
    }

    /** A list is arriving. Keeps the problem until the list is complete. */
    synchronized void listing() {
        report(KindState.Phase.LISTING, problem());
    }

    /** A watch is open and there is no problem. Takes no lock if that was already reported. */
    void watching() {
        if (!isWatching()) {
            report(KindState.Phase.WATCHING, null);
        }
    }

    /** An attempt failed, and the feed waits before the next. */
    void waiting(String problem) {
        report(KindState.Phase.WAITING, problem);
    }

    /** The feed has stopped. Keeps the problem. */
    synchronized void stopped() {
        report(KindState.Phase.STOPPED, problem());
    }

    /** Whether the last reported state is an open watch. */
    boolean isWatching() {
        KindState last = state;
        return last != null && last.phase() == KindState.Phase.WATCHING;
    }

    private @Nullable String problem() {
        KindState last = state;
        return last == null ? null : last.problem();
    }

    private synchronized void report(KindState.Phase phase, @Nullable String problem) {
        KindState last = state;
        if (last != null
                && (last.phase() == KindState.Phase.STOPPED
                        || last.phase() == phase && Objects.equals(last.problem(), problem))) {
            return;
        }
        if (phase == KindState.Phase.WAITING) {
            writer.sourceIs(false);
        } else if (phase == KindState.Phase.LISTING || phase == KindState.Phase.WATCHING) {
            writer.sourceIs(true);
        }
        KindState now = new KindState(kind, phase, clock.instant(), problem);
        state = now;
        listener.changed(now);
    }
}
