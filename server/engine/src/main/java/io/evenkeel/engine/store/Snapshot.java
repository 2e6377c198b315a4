package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.cluster.OwnerTable;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Removes the objects that complete lists of some kinds have not named. Each kind has a snapshot of its own, so those
 * of several kinds may begin and end apart.
 *
 * <pre>
 *   begin  ─►  objects are named as they are applied  ─►  sweep, sweep, …     pods, then owners, then nodes
 * </pre>
 */
public final class Snapshot {
    /** Pods first, since a node without pods goes more quickly. */
    private static final List<ObjectKind> ORDER = List.of(
            ObjectKind.POD,
            ObjectKind.SERVICE,
            ObjectKind.REPLICATION_CONTROLLER,
            ObjectKind.REPLICA_SET,
            ObjectKind.STATEFUL_SET,
            ObjectKind.NODE);

    private final OwnerTable owners;
    private final NodeTable nodes;
    private final PodTable pods;
    private final NamedObjects named;
    private final StoredPods stored;
    private final NodeEvents nodeEvents;

    /** The sweeps that have begun, of kinds whose snapshot is under way. */
    private final Map<ObjectKind, Sweep> sweeps = new EnumMap<>(ObjectKind.class);

    Snapshot(ClusterStore store, StoredPods stored, NodeEvents nodeEvents) {
        owners = store.owners;
        nodes = store.nodes;
        pods = store.pods;
        named = store.named;
        this.stored = stored;
        this.nodeEvents = nodeEvents;
    }

    /** Begins snapshots: objects of these kinds that are named from now on are recorded. */
    public void begin(Set<ObjectKind> kinds) {
        for (ObjectKind kind : kinds) {
            sweeps.remove(kind);
            named.begin(kind);
        }
    }

    /** Ends the snapshots of these kinds, where there are any, without removing anything more. */
    public void abandon(Set<ObjectKind> kinds) {
        for (ObjectKind kind : kinds) {
            sweeps.remove(kind);
            named.end(kind);
        }
    }

    public boolean isUnderWay(ObjectKind kind) {
        return named.isUnderWay(kind);
    }

    /**
     * Removes objects of these kinds that were not named since their snapshot began, until the time is up. When all of
     * a kind were checked, its snapshot has ended. An object that is named between two calls stays: if it was removed
     * already, its event has added it again.
     *
     * @param isTimeUp whether the rest must be left to the next call
     * @return how many objects it removed
     */
    public int sweep(Set<ObjectKind> kinds, BooleanSupplier isTimeUp) {
        if (kinds.stream().noneMatch(this::isUnderWay)) {
            throw new IllegalStateException("no snapshot of " + kinds + " is under way");
        }
        int removed = 0;
        for (ObjectKind kind : ORDER) {
            while (kinds.contains(kind) && isUnderWay(kind)) {
                removed += sweepNext(kind) ? 1 : 0;
                if (isTimeUp.getAsBoolean()) {
                    return removed;
                }
            }
        }
        return removed;
    }

    /** Checks some objects of a kind, or ends its snapshot; returns whether one was removed. */
    private boolean sweepNext(ObjectKind kind) {
        Sweep sweep = sweeps.computeIfAbsent(kind, this::sweepOf);
        if (sweep.isDone()) {
            sweeps.remove(kind);
            named.end(kind);
            return false;
        }
        return sweep.next();
    }

    private Sweep sweepOf(ObjectKind kind) {
        return switch (kind) {
            case POD -> new PodSweep();
            case NODE -> new NodeSweep();
            case SERVICE -> new OwnerSweep(OwnerObject.Kind.SERVICE);
            case REPLICATION_CONTROLLER -> new OwnerSweep(OwnerObject.Kind.REPLICATION_CONTROLLER);
            case REPLICA_SET -> new OwnerSweep(OwnerObject.Kind.REPLICA_SET);
            case STATEFUL_SET -> new OwnerSweep(OwnerObject.Kind.STATEFUL_SET);
        };
    }

    /** A walk over the objects of a kind. Objects that come in the meantime are named, so it may miss them. */
    private interface Sweep {
        boolean isDone();

        /** Checks the next object or some more; returns whether it removed one. It removes one at most. */
        boolean next();
    }

    /** Pods that are known from an assumption alone stay. */
    private final class PodSweep implements Sweep {
        /** How many rows are checked at a time, since reading the clock takes longer than checking a row. */
        private static final int ROWS = 16;

        /** Rows below this were checked. */
        private int sweptTo;

        @Override
        public boolean isDone() {
            return sweptTo >= pods.limit();
        }

        @Override
        public boolean next() {
            for (int end = Math.min(pods.limit(), sweptTo + ROWS); sweptTo < end; ) {
                int pod = sweptTo++;
                if (pods.isLive(pod) && !named.hasPod(pod) && !pods.is(pod, PodTable.UNSEEN)) {
                    stored.remove(pod);
                    pods.free(pod);
                    return true;
                }
            }
            return false;
        }
    }

    private final class OwnerSweep implements Sweep {
        private final OwnerObject.Kind kind;
        private final Iterator<OwnerObject> left;

        OwnerSweep(OwnerObject.Kind kind) {
            this.kind = kind;
            this.left = owners.of(kind);
        }

        @Override
        public boolean isDone() {
            return !left.hasNext();
        }

        @Override
        public boolean next() {
            String uid = left.next().uid();
            OwnerObject owner = owners.find(uid);
            return owner != null && owner.kind() == kind && !named.has(kind.objectKind(), uid) && owners.remove(uid);
        }
    }

    private final class NodeSweep implements Sweep {
        /** How many slots were not checked yet. */
        private int slotsLeft = nodes.limit();

        @Override
        public boolean isDone() {
            return slotsLeft == 0;
        }

        @Override
        public boolean next() {
            int slot = --slotsLeft;
            boolean goes = nodes.isKnown(slot) && !named.has(ObjectKind.NODE, nodes.uid(slot));
            if (goes) {
                nodeEvents.remove(slot);
            }
            return goes;
        }
    }
}
