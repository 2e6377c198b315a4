package io.evenkeel.engine.store;

import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.Uid;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes the store, and moves the revision with each change that an answer or a status could show. That a snapshot is
 * under way is no part of the cluster: a list that changes nothing leaves the revision where it is. Used under the
 * engine's lock for writing alone.
 */
public final class RevisionWriter implements ClusterWriter {
    private final ClusterStore store;
    private final AtomicLong revision;
    private final LongSupplier clock;
    private final Slices slices;

    /** Keeps the compiler from leaving out what is fetched. */
    @SuppressWarnings("UnusedVariable")
    private int fetched;

    private BooleanSupplier slice = () -> true;

    /** @param clock nanoseconds from any origin */
    public RevisionWriter(ClusterStore store, AtomicLong revision, LongSupplier clock, Slices slices) {
        this.slices = slices;
        this.store = store;
        this.revision = revision;
        this.clock = clock;
    }

    public void beginBatch() {
        slice = slices.begin();
    }

    @Override
    public boolean apply(Change change, NodeObject node) {
        return changed(store.apply(change, node));
    }

    @Override
    public void expect(List<PodRecord> coming) {
        fetched = store.podFetch.fetch(coming);
    }

    @Override
    public boolean apply(Change change, PodRecord pod) {
        return changed(store.podStore.apply(change, pod));
    }

    @Override
    public boolean apply(Change change, OwnerObject owner) {
        return changed(store.apply(change, owner));
    }

    @Override
    public Assumption assume(PodRecord pod, String node, @Nullable Duration timeToLive) {
        long until = timeToLive == null ? PodStore.FOR_EVER : clock.getAsLong() + timeToLive.toNanos();
        Assumption assumption = store.podStore.assume(pod, node, until);
        changed(assumption == Assumption.COUNTED || assumption == Assumption.NODE_UNKNOWN);
        return assumption;
    }

    @Override
    public boolean forget(String uid) {
        return changed(store.podStore.forget(Uid.of(uid)));
    }

    @Override
    public int expireAssumptions() {
        int expired = store.podStore.expire(clock.getAsLong(), this::isTimeUp);
        changed(expired > 0);
        return expired;
    }

    @Override
    public boolean isExpiring() {
        return store.podStore.isExpiring();
    }

    @Override
    public void beginSnapshot() {
        store.beginSnapshot();
    }

    @Override
    public int sweepSnapshot() {
        int removed = store.sweepSnapshot(this::isTimeUp);
        changed(removed > 0);
        return removed;
    }

    @Override
    public boolean isSnapshotUnderWay() {
        return store.isSnapshotUnderWay();
    }

    @Override
    public void abandonSnapshot() {
        store.abandonSnapshot();
    }

    @Override
    public boolean isTimeUp() {
        return slice.getAsBoolean();
    }

    @Override
    public long revision() {
        return revision.get();
    }

    private boolean changed(boolean changed) {
        if (changed) {
            revision.incrementAndGet();
        }
        return changed;
    }
}
