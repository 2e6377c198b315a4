package io.evenkeel.placement.call;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.ErrorReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether queries can be answered, which requires a state of every kind of object. Changes only within writes of
 * the engine, which are serialized; any thread may read it.
 *
 * <p>A kind gets a state by a complete snapshot or by events that change something. Events do not count if a feed will
 * list every kind ({@link #expectSnapshots}): a kind whose list fails is missing, and events of other kinds say nothing
 * about it. There is no state during the first snapshot of the kind. If the first snapshot is aborted, only a part of
 * the kind is known, even if there was a state before, so queries must wait for a complete snapshot.
 */
public final class Readiness {
    /** The state of one kind. */
    private record State(boolean given, boolean underWay, boolean ended, boolean brokenOff) {
        static final State NONE = new State(false, false, false, false);
        static final State OF_EVENTS = new State(true, false, false, false);

        State begun() {
            return new State(given, true, ended, brokenOff);
        }

        State completed() {
            return new State(true, false, true, false);
        }

        State abandoned() {
            return new State(given, false, ended, !ended);
        }

        boolean isFirstUnderWay() {
            return underWay && !ended;
        }

        boolean isReady() {
            return given && !brokenOff && !isFirstUnderWay();
        }

        boolean isBegun() {
            return given || underWay || brokenOff;
        }
    }

    private static final String UNDER_WAY = "the first snapshot is in progress";
    private static final String BROKEN_OFF = "the first snapshot was aborted; waiting for a complete one";

    private final List<Consumer<Boolean>> listeners = new ArrayList<>();
    private final List<Consumer<Set<ObjectKind>>> kindListeners = new ArrayList<>();
    private boolean told;
    private Set<ObjectKind> toldKinds = EnumSet.noneOf(ObjectKind.class);

    /** The states that listeners have been notified of. */
    private volatile Map<ObjectKind, State> toldStates;

    /** Contains every kind. Replaced, never modified. */
    private volatile Map<ObjectKind, State> states;

    /** Kinds with a state from events or with a snapshot, complete or not. Replaced, never modified. */
    private volatile Set<ObjectKind> begun = Set.of();

    /** Whether a feed will list every kind. Accessed only within writes. */
    private boolean snapshotsExpected;

    private volatile @Nullable RequestException obstacle;

    public Readiness() {
        Map<ObjectKind, State> none = new EnumMap<>(ObjectKind.class);
        ObjectKind.ALL.forEach(kind -> none.put(kind, State.NONE));
        states = none;
        toldStates = none;
        obstacle = obstacle(none);
    }

    /**
     * Called when a feed starts that will list every kind, though perhaps not soon. From now on, kinds whose state
     * comes only from events wait for their list.
     */
    public void expectSnapshots() {
        snapshotsExpected = true;
        update(ObjectKind.ALL, state -> state.equals(State.OF_EVENTS) ? State.NONE : state);
    }

    /** Starts a snapshot of these kinds. */
    public void beginSnapshot(Set<ObjectKind> kinds) {
        update(kinds, State::begun);
    }

    /** Completes the snapshot of these kinds. */
    public void endSnapshot(Set<ObjectKind> kinds) {
        update(kinds, State::completed);
    }

    /** Aborts the snapshot of these kinds. */
    public void abandonSnapshot(Set<ObjectKind> kinds) {
        update(kinds, State::abandoned);
    }

    /**
     * Called when events from outside a stream have changed something. They give every kind a state unless snapshots
     * are expected. They do not complete a snapshot that is in progress or was aborted.
     */
    public void eventsApplied() {
        if (!snapshotsExpected && !isReady()) {
            update(ObjectKind.ALL, state -> state.isBegun() ? state : State.OF_EVENTS);
        }
    }

    private void update(Set<ObjectKind> kinds, UnaryOperator<State> change) {
        Map<ObjectKind, State> next = new EnumMap<>(states);
        kinds.forEach(kind -> next.computeIfPresent(kind, (same, state) -> change.apply(state)));
        begun = kindsOf(next, State::isBegun);
        states = next;
        obstacle = obstacle(next);
    }

    private static Set<ObjectKind> kindsOf(Map<ObjectKind, State> states, Predicate<State> isSo) {
        Set<ObjectKind> kinds = EnumSet.noneOf(ObjectKind.class);
        states.forEach((kind, state) -> {
            if (isSo.test(state)) {
                kinds.add(kind);
            }
        });
        return kinds;
    }

    private static @Nullable RequestException obstacle(Map<ObjectKind, State> states) {
        RequestException why =
                refusal(states, State::isFirstUnderWay, ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY, UNDER_WAY);
        if (why == null) {
            why = refusal(states, State::brokenOff, ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF, BROKEN_OFF);
        }
        return why != null
                ? why
                : refusal(
                        states,
                        state -> !state.isReady(),
                        ErrorReason.ERROR_REASON_NOT_FED,
                        "no cluster state has been received yet");
    }

    private static @Nullable RequestException refusal(
            Map<ObjectKind, State> states, Predicate<State> isSo, ErrorReason reason, String message) {
        Set<ObjectKind> kinds = kindsOf(states, isSo);
        if (kinds.isEmpty()) {
            return null;
        }
        String which = kinds.equals(ObjectKind.ALL)
                ? ""
                : kinds.stream().map(ObjectKind::name).collect(Collectors.joining(", ", " (", ")"));
        return RequestException.ofKinds(reason, message + which, kinds);
    }

    /** True if a snapshot of any kind was started, or events have given a kind a state. */
    public boolean hasBegun() {
        return !begun.isEmpty();
    }

    /** True if a snapshot of the kind was started, or events have given it a state. */
    public boolean hasBegun(ObjectKind kind) {
        return begun.contains(kind);
    }

    /** True if there is a state of the kind. */
    public boolean isReady(ObjectKind kind) {
        State state = states.get(kind);
        return state != null && state.isReady();
    }

    /** Why there is no state of the kind, in one line; null if there is one. */
    public @Nullable String obstacle(ObjectKind kind) {
        State state = states.getOrDefault(kind, State.NONE);
        if (state.isReady()) {
            return null;
        }
        if (state.isFirstUnderWay()) {
            return UNDER_WAY;
        }
        return state.brokenOff() ? BROKEN_OFF : "not received yet";
    }

    /** True if there is a state of every kind. */
    public boolean isReady() {
        return obstacle == null;
    }

    /** Rejects a query that cannot be answered yet. */
    void require() {
        RequestException why = obstacle;
        if (why != null) {
            throw why;
        }
    }

    /** Calls {@code listener} now, and whenever readiness changes. */
    public synchronized void onChange(Consumer<Boolean> listener) {
        listeners.add(listener);
        listener.accept(told);
    }

    /** Calls {@code listener} with the kinds that have a state, whenever these change. */
    public synchronized void onKinds(Consumer<Set<ObjectKind>> listener) {
        kindListeners.add(listener);
    }

    /** Calls the listeners if readiness has changed. Must be called outside the engine's writes. */
    public void tell() {
        if (states != toldStates) {
            tellStates();
        }
    }

    /** Synchronized so that a listener's last notification carries the current state. */
    private synchronized void tellStates() {
        Map<ObjectKind, State> now = states;
        Set<ObjectKind> kinds = kindsOf(now, State::isReady);
        if (!kinds.equals(toldKinds)) {
            toldKinds = kinds;
            kindListeners.forEach(listener -> listener.accept(Collections.unmodifiableSet(kinds)));
        }
        boolean ready = kinds.equals(ObjectKind.ALL);
        if (ready != told) {
            told = ready;
            for (Consumer<Boolean> listener : listeners) {
                listener.accept(ready);
            }
        }
        toldStates = now;
    }
}
