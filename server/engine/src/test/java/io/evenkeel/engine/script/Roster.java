package io.evenkeel.engine.script;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The generator's record of which objects of a kind exist and which were deleted, by UID. */
final class Roster<T> {
    private final RandomChoices dice;
    private final Map<String, T> present = new LinkedHashMap<>();
    private final Map<String, T> gone = new LinkedHashMap<>();

    Roster(RandomChoices dice) {
        this.dice = dice;
    }

    void put(String uid, T object) {
        gone.remove(uid);
        present.put(uid, object);
    }

    void remove(String uid) {
        T object = present.remove(uid);
        if (object != null) {
            gone.put(uid, object);
        }
    }

    boolean isEmpty() {
        return present.isEmpty();
    }

    boolean hasGone() {
        return !gone.isEmpty();
    }

    int size() {
        return present.size();
    }

    T pick() {
        return dice.pick(all());
    }

    T pickGone() {
        return dice.pick(List.copyOf(gone.values()));
    }

    List<T> all() {
        return new ArrayList<>(present.values());
    }
}
