package io.evenkeel.engine.store;

/**
 * All that changes a {@link ClusterStore}, by what the change is of. Used under the engine's lock for writing alone.
 */
public final class ClusterChanges {
    public final NodeEvents nodes;
    public final PodEvents pods;
    public final OwnerEvents owners;
    public final Assumptions assumptions;
    public final Snapshot snapshot;

    /** The store must have no other changes beside these. */
    public ClusterChanges(ClusterStore store) {
        StoredPods stored = new StoredPods(store);
        nodes = new NodeEvents(store);
        pods = new PodEvents(store, stored);
        owners = new OwnerEvents(store);
        assumptions = new Assumptions(store, stored);
        snapshot = new Snapshot(store, stored, nodes);
    }
}
