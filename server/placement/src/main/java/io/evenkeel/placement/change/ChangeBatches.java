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
 * Applies the changes of one message, a batch at a time, and records which of them the engine refused.
 *
 * <p>A batch ends after {@link #SLICE} changes, whose memory is read ahead, or earlier where its time is up. The clock
 * is read after each change, because one change may move thousands of counts: a pod's, where as many selectors match
 * it.
 */
final class ChangeBatches {
    /** How many changes are read ahead and made in one write at most: some hundred microseconds. */
    static final int SLICE = 256;

    private final List<ObjectChange> changes;
    private final ChangeNotes notes;
    private final Map<Integer, CapacityException> refused = new TreeMap<>();
    private int next;
    private int fetched;
    private int count;
    private List<ObjectChange> latest = new ArrayList<>();

    /** @param notes is told what becomes of each change */
    ChangeBatches(List<ObjectChange> changes, ChangeNotes notes) {
        this.changes = changes;
        this.notes = notes;
    }

    /** Applies the next batch. */
    void advance(ClusterWriter writer) {
        try {
            applyNext(writer);
        } finally {
            notes.end(writer);
        }
    }

    private void applyNext(ClusterWriter writer) {
        if (next == fetched) {
            fetched = Math.min(changes.size(), next + SLICE);
            writer.expect(pods(changes.subList(next, fetched)));
        }
        while (next < fetched) {
            ObjectChange change = changes.get(next++);
            try {
                boolean changed = change.applyTo(writer);
                notes.made(change, changed);
                if (changed) {
                    count++;
                    latest.add(change);
                }
            } catch (CapacityException full) {
                refused.put(next - 1, full);
                notes.refused(change);
            }
            if (writer.isTimeUp()) {
                return;
            }
        }
    }

    private static List<PodRecord> pods(List<ObjectChange> slice) {
        return slice.stream().map(ObjectChange::pod).filter(Objects::nonNull).toList();
    }

    /** Whether all changes were applied. */
    boolean isDone() {
        return next == changes.size();
    }

    /** The changes for which the engine has no room, by their place. */
    Map<Integer, CapacityException> refused() {
        return refused;
    }

    /** How many of the changes so far changed something. */
    int count() {
        return count;
    }

    /** The pending pods among the changes that changed something since the last call. */
    List<Pod> takePending() {
        List<Pod> pending = latest.stream()
                .map(ObjectChange::pending)
                .filter(Objects::nonNull)
                .toList();
        latest = new ArrayList<>();
        return pending;
    }
}
