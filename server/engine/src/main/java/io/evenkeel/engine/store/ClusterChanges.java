package io.evenkeel.engine.store;

/**
 * The classes that change a {@link ClusterStore}, one for each kind of change. Used only under the engine's lock for
 * writing.
 */
public final class ClusterChanges {
    public final NodeEvents nodes;
    public final PodEvents pods;
    public final OwnerEvents owners;
    public final Assumptions assumptions;
    public final Snapshot snapshot;

    /** @param store a store that has no other {@link ClusterChanges} */
    public ClusterChanges(ClusterStore store) {
        StoredPods stored = new StoredPods(store);
        nodes = new NodeEvents(store);
        pods = new PodEvents(store, stored);
        owners = new OwnerEvents(store);
        assumptions = new Assumptions(store, stored);
        snapshot = new Snapshot(store, stored, nodes);
    }
}
