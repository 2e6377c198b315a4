package io.evenkeel.engine.store;

import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.OwnerObject;

/**
 * The classes that change a {@link ClusterStore}, one for each kind of change. Used only under the engine's lock for
 * writing.
 */
public final class ClusterChanges {
    public final NodeEvents nodes;
    public final PodEvents pods;
    public final ObjectEvents<OwnerObject> owners;
    public final ObjectEvents<DisruptionBudget> budgets;
    public final Assumptions assumptions;
    public final Snapshot snapshot;

    /** @param store a store that has no other {@link ClusterChanges} */
    public ClusterChanges(ClusterStore store) {
        StoredPods stored = new StoredPods(store);
        nodes = new NodeEvents(store);
        pods = new PodEvents(store, stored);
        owners = new ObjectEvents<>(store, store.owners);
        budgets = new ObjectEvents<>(store, store.budgets);
        assumptions = new Assumptions(store, stored);
        snapshot = new Snapshot(store, stored, nodes);
    }
}
