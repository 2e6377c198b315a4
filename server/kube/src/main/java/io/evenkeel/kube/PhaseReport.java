package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.time.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what the feed of a kind does and why it last failed, and tells each change once: to the listener and, where it
 * says whether the API server answers, to the status. Nothing is told after the end.
 *
 * <p>Safe for use by several threads: changes are told in order, one at a time, by the thread that brings them.
 */
final class PhaseReport {
    private final ObjectKind kind;
    private final Clock clock;
    private final KindWriter writer;
    private final KubeFeedListener listener;

    /** What was told last; null before. Written under the lock, and read without it. */
    private volatile @Nullable KindState state;

    PhaseReport(ObjectKind kind, Clock clock, KindWriter writer, KubeFeedListener listener) {
        this.kind = kind;
        this.clock = clock;
        this.writer = writer;
        this.listener = listener;
    }

    /** A list or watch is asked for. The problem stays. */
    synchronized void connecting() {
        tell(KindState.Phase.CONNECTING, problem());
    }

    /** A list comes. The problem stays until it has ended. */
    synchronized void listing() {
        tell(KindState.Phase.LISTING, problem());
    }

    /** A watch is open, and there is no problem. Costs no lock where that was told before. */
    void watching() {
        if (!isWatching()) {
            tell(KindState.Phase.WATCHING, null);
        }
    }

    /** An attempt has failed. */
    void waiting(String problem) {
        tell(KindState.Phase.WAITING, problem);
    }

    /** The feed has ended. The problem stays. */
    synchronized void stopped() {
        tell(KindState.Phase.STOPPED, problem());
    }

    /** Whether it was told last that a watch is open. */
    boolean isWatching() {
        KindState last = state;
        return last != null && last.phase() == KindState.Phase.WATCHING;
    }

    private @Nullable String problem() {
        KindState last = state;
        return last == null ? null : last.problem();
    }

    private synchronized void tell(KindState.Phase phase, @Nullable String problem) {
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
