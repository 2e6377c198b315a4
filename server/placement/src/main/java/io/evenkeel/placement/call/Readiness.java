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
 * Decides whether queries are answered: once the server has a state of every kind of object. It changes only within
 * writes of the engine, of which there is one at a time; any thread may read it.
 *
 * <p>A state of a kind comes from a complete snapshot or from events that changed something. Where a feed will list
 * every kind ({@link #expectSnapshots}), events make none: a kind whose list fails is not there, and events of other
 * kinds do not tell of it. There is no state while the first snapshot of the kind is under way. A first snapshot that
 * breaks off leaves a part of the kind, whatever events had made of it before, so that queries must wait for a complete
 * one.
 */
public final class Readiness {
    /** What is known of one kind. */
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

    private static final String UNDER_WAY = "the first snapshot is under way";
    private static final String BROKEN_OFF = "the first snapshot broke off: a whole one must follow";

    private final List<Consumer<Boolean>> listeners = new ArrayList<>();
    private final List<Consumer<Set<ObjectKind>>> kindListeners = new ArrayList<>();
    private boolean told;
    private Set<ObjectKind> toldKinds = EnumSet.noneOf(ObjectKind.class);

    /** What listeners were told of. */
    private volatile Map<ObjectKind, State> toldStates;

    /** Of every kind; never changed, but replaced. */
    private volatile Map<ObjectKind, State> states;

    /** Those of which a snapshot was begun, or events have made a state; never changed, but replaced. */
    private volatile Set<ObjectKind> begun = Set.of();

    /** Whether a feed will list every kind. Used within writes only. */
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
     * A feed begins that will list every kind, though perhaps not soon. Kinds of which only events have made a state
     * wait for their list from now on.
     */
    public void expectSnapshots() {
        snapshotsExpected = true;
        update(ObjectKind.ALL, state -> state.equals(State.OF_EVENTS) ? State.NONE : state);
    }

    /** A snapshot of these kinds begins. */
    public void beginSnapshot(Set<ObjectKind> kinds) {
        update(kinds, State::begun);
    }

    /** The snapshot of these kinds is complete. */
    public void endSnapshot(Set<ObjectKind> kinds) {
        update(kinds, State::completed);
    }

    /** The snapshot of these kinds broke off. */
    public void abandonSnapshot(Set<ObjectKind> kinds) {
        update(kinds, State::abandoned);
    }

    /**
     * Called when events that no stream feeds have changed something: they make a state of every kind, unless snapshots
     * are expected. They do not complete a snapshot, whether it is under way or broke off.
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
                        "no cluster has been fed yet");
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

    /** Whether a snapshot of any kind was begun, or events have made a state. */
    public boolean hasBegun() {
        return !begun.isEmpty();
    }

    /** Whether a snapshot of the kind was begun, or events have made a state of it. */
    public boolean hasBegun(ObjectKind kind) {
        return begun.contains(kind);
    }

    /** Whether there is a state of the kind. */
    public boolean isReady(ObjectKind kind) {
        State state = states.get(kind);
        return state != null && state.isReady();
    }

    /** Why there is no state of the kind, in one line; null where there is one. */
    public @Nullable String obstacle(ObjectKind kind) {
        State state = states.getOrDefault(kind, State.NONE);
        if (state.isReady()) {
            return null;
        }
        if (state.isFirstUnderWay()) {
            return UNDER_WAY;
        }
        return state.brokenOff() ? BROKEN_OFF : "it has not been fed yet";
    }

    /** Whether there is a state of every kind. */
    public boolean isReady() {
        return obstacle == null;
    }

    /** Refuses a query that cannot be answered yet. */
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

    /** Calls {@code listener} with the kinds of which there is a state, whenever these change. */
    public synchronized void onKinds(Consumer<Set<ObjectKind>> listener) {
        kindListeners.add(listener);
    }

    /** Calls the listeners if readiness has changed. To be called outside of the engine's writes. */
    public void tell() {
        if (states != toldStates) {
            tellStates();
        }
    }

    /** Synchronized, so that the last call that a listener gets has the present state. */
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
