package io.evenkeel.placement.change;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The changes of a message, applied in order, as many at a time as readers may wait for.
 *
 * <p>A batch of pods ends with the {@link #SLICE} that was fetched from memory, or earlier where its time is up. One
 * change may move thousands of counts, a pod's where as many selectors match it, so that the clock is looked at after
 * each.
 */
final class AppliedChanges {
    /** The most changes that are fetched and made at once: some hundred microseconds. */
    static final int SLICE = 256;

    private final List<ObjectChange> changes;
    private final Map<Integer, CapacityException> refused = new TreeMap<>();
    private int next;
    private int fetched;
    private int count;
    private List<ObjectChange> latest = new ArrayList<>();

    AppliedChanges(List<ObjectChange> changes) {
        this.changes = changes;
    }

    /** Applies those that come next. */
    void advance(ClusterWriter writer) {
        if (next == fetched) {
            fetched = Math.min(changes.size(), next + SLICE);
            writer.expect(pods(changes.subList(next, fetched)));
        }
        while (next < fetched) {
            ObjectChange change = changes.get(next++);
            try {
                if (change.applyTo(writer)) {
                    count++;
                    latest.add(change);
                }
            } catch (CapacityException full) {
                refused.put(next - 1, full);
            }
            if (writer.isTimeUp()) {
                return;
            }
        }
    }

    private static List<PodRecord> pods(List<ObjectChange> slice) {
        return slice.stream().map(ObjectChange::pod).filter(Objects::nonNull).toList();
    }

    /** Whether all are applied. */
    boolean isDone() {
        return next == changes.size();
    }

    /** Those that the engine has no room for, by their place. */
    Map<Integer, CapacityException> refused() {
        return refused;
    }

    /** How many changed something so far. */
    int count() {
        return count;
    }

    /** Of those that changed something since this was last asked: the pods that wait for a node. */
    List<Pod> takePending() {
        List<Pod> pending = latest.stream()
                .map(ObjectChange::pending)
                .filter(Objects::nonNull)
                .toList();
        latest = new ArrayList<>();
        return pending;
    }
}
