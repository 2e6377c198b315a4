package io.evenkeel.placement.change;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private Map<Integer, CapacityException> refused = Map.of();
    private int next;
    private int fetched;
    private int count;
    /** The changes of pending pods that changed something since they were taken. */
    private List<ObjectChange> latest = List.of();

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
            expect(writer);
        }
        while (next < fetched) {
            ObjectChange change = changes.get(next++);
            try {
                writer.setFromElsewhere(!notes.isFed(change));
                boolean changed = change.applyTo(writer);
                notes.made(change, changed);
                if (changed) {
                    count++;
                    if (change.isPending()) {
                        note(change);
                    }
                }
            } catch (CapacityException full) {
                refuse(next - 1, full);
                notes.refused(change);
            }
            if (next < fetched && writer.isTimeUp()) {
                return;
            }
        }
    }

    private void note(ObjectChange pending) {
        if (latest.isEmpty()) {
            // Most messages have none.
            latest = new ArrayList<>();
        }
        latest.add(pending);
    }

    /** Has the memory read ahead that the changes of the slice need. A single one does not gain by it. */
    private void expect(ClusterWriter writer) {
        if (fetched - next < 2) {
            return;
        }
        List<PodRecord> coming = new ArrayList<>(fetched - next);
        for (int i = next; i < fetched; i++) {
            PodRecord pod = changes.get(i).pod();
            if (pod != null) {
                coming.add(pod);
            }
        }
        writer.expect(coming);
    }

    private void refuse(int place, CapacityException full) {
        if (refused.isEmpty()) {
            refused = new TreeMap<>();
        }
        refused.put(place, full);
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
        if (latest.isEmpty()) {
            return List.of();
        }
        List<Pod> pending = new ArrayList<>();
        for (ObjectChange change : latest) {
            Pod pod = change.pending();
            if (pod != null) {
                pending.add(pod);
            }
        }
        latest = List.of();
        return pending;
    }
}
