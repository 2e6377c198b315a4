package io.evenkeel.engine.store;

import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.NamespacedObject;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.Uid;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link ClusterWriter}: changes the store, and increases the revision with each change that an answer or a
 * status could show. A snapshot that changes nothing does not increase the revision. Used only under the engine's lock
 * for writing.
 */
public final class RevisionWriter implements ClusterWriter {
    private final ClusterStore store;
    private final ClusterChanges changes;
    private final LongSupplier clock;
    private final Slices slices;

    /** Keeps the compiler from eliminating the reads of {@link #expect}. */
    @SuppressWarnings("UnusedVariable")
    private int fetched;

    private BooleanSupplier slice = () -> true;

    /** @param clock nanoseconds from any origin */
    public RevisionWriter(ClusterStore store, LongSupplier clock, Slices slices) {
        this.store = store;
        this.changes = new ClusterChanges(store);
        this.clock = clock;
        this.slices = slices;
    }

    public void beginBatch() {
        slice = slices.begin();
        store.named.setFromElsewhere(false);
    }

    @Override
    public void setFromElsewhere(boolean elsewhere) {
        store.named.setFromElsewhere(elsewhere);
    }

    @Override
    public boolean apply(Change change, NodeObject node) {
        return changed(changes.nodes.apply(change, node));
    }

    @Override
    public void add(PodRecord pod, int slot) {
        changes.pods.add(pod, slot);
        changed(true);
    }

    @Override
    public void expect(List<PodRecord> coming) {
        fetched = store.podFetch.fetch(coming);
    }

    @Override
    public boolean apply(Change change, PodRecord pod) {
        return changed(changes.pods.apply(change, pod));
    }

    @Override
    public void move(int pod, int slot) {
        changes.pods.move(pod, slot);
        changed(true);
    }

    @Override
    public boolean apply(Change change, NamespacedObject<?> object) {
        return changed(
                object instanceof DisruptionBudget budget
                        ? changes.budgets.apply(change, budget)
                        : changes.owners.apply(change, (OwnerObject) object));
    }

    @Override
    public Assumption assume(PodRecord pod, String node, @Nullable Duration timeToLive) {
        long until = timeToLive == null ? AssumedPods.FOR_EVER : clock.getAsLong() + timeToLive.toNanos();
        Assumption assumption = changes.assumptions.assume(pod, node, until);
        changed(assumption.isAssumed());
        return assumption;
    }

    @Override
    public boolean forget(String uid) {
        return changed(changes.assumptions.forget(Uid.of(uid)));
    }

    @Override
    public int expireAssumptions() {
        return counted(() -> changes.assumptions.expire(clock.getAsLong(), this::isTimeUp));
    }

    @Override
    public boolean isExpiring() {
        return changes.assumptions.isExpiring();
    }

    @Override
    public void beginSnapshot(Set<ObjectKind> kinds) {
        changes.snapshot.begin(kinds);
    }

    @Override
    public int sweepSnapshot(Map<ObjectKind, Long> lists) {
        return counted(() -> changes.snapshot.sweep(lists, this::isTimeUp));
    }

    @Override
    public boolean isSnapshotInProgress(ObjectKind kind) {
        return changes.snapshot.isInProgress(kind);
    }

    @Override
    public void abandonSnapshot(Set<ObjectKind> kinds) {
        changes.snapshot.abandon(kinds);
    }

    @Override
    public void setVersions(ObjectKind kind, long reported, long held) {
        store.versions.set(kind, reported, held);
    }

    @Override
    public long heldVersion(ObjectKind kind) {
        return store.versions.held(kind);
    }

    @Override
    public boolean isTimeUp() {
        return slice.getAsBoolean();
    }

    @Override
    public long revision() {
        return store.revision();
    }

    /** Does work that makes some changes, and returns how many. If it fails, it may have made some of them. */
    private int counted(IntSupplier work) {
        int count = -1;
        try {
            count = work.getAsInt();
        } finally {
            changed(count != 0);
        }
        return count;
    }

    private boolean changed(boolean changed) {
        if (changed) {
            store.moveRevision();
        }
        return changed;
    }
}
