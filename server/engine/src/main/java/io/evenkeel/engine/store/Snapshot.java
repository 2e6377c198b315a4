package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.BudgetTable;
import io.evenkeel.engine.cluster.DeletedPods;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.ObjectTable;
import io.evenkeel.engine.cluster.OwnerTable;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.cluster.Tombstones;
import io.evenkeel.engine.model.NamespacedObject;
import io.evenkeel.engine.model.ObjectKind;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Removes the objects that the complete lists of some kinds do not contain. Each kind has its own snapshot, so
 * snapshots of several kinds may begin and end at different times.
 *
 * <pre>
 *   begin  ─►  objects are named as they are applied  ─►  sweep, sweep, …     pods, then others, then nodes
 * </pre>
 *
 * <p>A removed object counts as deleted at the list's version, so that a late event does not restore it. This holds
 * even if the object was stored at a later version: after a list that is older than the state, the feed reports again
 * what was added since.
 *
 * <p>If the list's version is unknown, no deletion is remembered, and any event restores an object: a caller that feeds
 * a state by hand may start over, with versions that start over as well.
 */
public final class Snapshot {
    /** Pods first and nodes last, because a node without pods is faster to remove. */
    private static final List<ObjectKind> ORDER = ObjectKind.ALL.stream()
            .sorted(Comparator.comparingInt(kind -> kind == ObjectKind.POD ? 0 : kind == ObjectKind.NODE ? 2 : 1))
            .toList();

    private final OwnerTable owners;
    private final BudgetTable budgets;
    private final NodeSlots nodes;
    private final PodTable pods;
    private final NamedObjects named;
    private final StoredPods stored;
    private final NodeEvents nodeEvents;
    private final DeletedPods deletedPods;
    private final Tombstones tombstones;

    /** The sweeps that have begun, by kind. Only kinds whose snapshot is in progress. */
    private final Map<ObjectKind, Sweep> sweeps = new EnumMap<>(ObjectKind.class);

    Snapshot(ClusterStore store, StoredPods stored, NodeEvents nodeEvents) {
        owners = store.owners;
        budgets = store.budgets;
        nodes = store.nodes;
        pods = store.pods;
        named = store.named;
        deletedPods = store.deletedPods;
        tombstones = store.tombstones;
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

    /** Ends the snapshots of these kinds, if there are any, without removing anything more. */
    public void abandon(Set<ObjectKind> kinds) {
        for (ObjectKind kind : kinds) {
            sweeps.remove(kind);
            named.end(kind);
        }
    }

    public boolean isInProgress(ObjectKind kind) {
        return named.isInProgress(kind);
    }

    /**
     * Removes objects of these kinds that were not named since their snapshot began, until the time is up. When all
     * objects of a kind are checked, its snapshot ends. An object that is named between two calls stays. If it is
     * already removed, its event adds it again if that event may restore a deleted object.
     *
     * @param lists the kinds, each with the version of its list; 0 if unknown
     * @param isTimeUp true if the rest must be left to the next call
     * @return how many objects it removed
     */
    public int sweep(Map<ObjectKind, Long> lists, BooleanSupplier isTimeUp) {
        Set<ObjectKind> kinds = lists.keySet();
        if (kinds.stream().noneMatch(this::isInProgress)) {
            throw new IllegalStateException("no snapshot of " + kinds + " is under way");
        }
        int removed = 0;
        for (ObjectKind kind : ORDER) {
            while (kinds.contains(kind) && isInProgress(kind)) {
                removed += sweepNext(kind, lists.getOrDefault(kind, 0L)) ? 1 : 0;
                if (isTimeUp.getAsBoolean()) {
                    return removed;
                }
            }
        }
        return removed;
    }

    /** Checks some objects of a kind, or ends its snapshot; returns whether one was removed. */
    private boolean sweepNext(ObjectKind kind, long reported) {
        Sweep sweep = sweeps.computeIfAbsent(kind, of -> sweepOf(kind, reported));
        if (sweep.isDone()) {
            sweeps.remove(kind);
            named.end(kind);
            return false;
        }
        return sweep.next();
    }

    private Sweep sweepOf(ObjectKind kind, long listVersion) {
        return switch (kind) {
            case POD -> new PodSweep(listVersion);
            case NODE -> new NodeSweep(listVersion);
            case SERVICE, REPLICATION_CONTROLLER, REPLICA_SET, STATEFUL_SET ->
                new ObjectSweep<>(kind, owners, listVersion);
            case POD_DISRUPTION_BUDGET -> new ObjectSweep<>(kind, budgets, listVersion);
        };
    }

    /** A walk over the objects of a kind. Objects that are added meanwhile are named, so it may miss them. */
    private abstract static class Sweep {
        /** The list's version; 0 if unknown. */
        private final long listVersion;

        /** How many deletions it may still remember. */
        private int leftToRemember;

        /**
         * @param tombstones how many deletions are remembered at most. A sweep uses half of them, so that sweeping a
         *     whole cluster does not drop deletions that events have reported recently.
         */
        Sweep(long listVersion, int tombstones) {
            this.listVersion = listVersion;
            this.leftToRemember = tombstones - tombstones / 2;
        }

        final long listVersion() {
            return listVersion;
        }

        abstract boolean isDone();

        /** Checks the next object, or several; returns whether it removed one. It removes at most one. */
        abstract boolean next();

        /** Whether to remove an object that is stored at a version, given what was learned about it. */
        final boolean removes(SweepVerdict learned, long stored) {
            return switch (learned) {
                case SURE -> false;
                case IF_NEWER -> listVersion != 0 && stored != 0 && Long.compareUnsigned(stored, listVersion) <= 0;
                case NONE -> true;
            };
        }

        /** Whether the next deletion, at the list's version, is to be remembered. */
        final boolean remembersNext() {
            return listVersion != 0 && leftToRemember-- > 0;
        }
    }

    /** Pods that are known only from an assumption stay. */
    private final class PodSweep extends Sweep {
        /** How many rows are checked at a time, because reading the clock takes longer than checking a row. */
        private static final int ROWS = 16;

        /** Rows below this were checked. */
        private int sweptTo;

        PodSweep(long listVersion) {
            super(listVersion, deletedPods.limit());
        }

        @Override
        boolean isDone() {
            return sweptTo >= pods.limit();
        }

        @Override
        boolean next() {
            for (int end = Math.min(pods.limit(), sweptTo + ROWS); sweptTo < end; ) {
                int pod = sweptTo++;
                if (pods.isLive(pod)
                        && !pods.is(pod, PodTable.UNSEEN)
                        && removes(named.ofPod(pod), pods.version(pod))) {
                    remove(pod);
                    return true;
                }
            }
            return false;
        }

        private void remove(int pod) {
            stored.remove(pod);
            if (remembersNext()) {
                deletedPods.remember(pod, listVersion());
            } else {
                pods.free(pod);
            }
        }
    }

    private final class ObjectSweep<T extends NamespacedObject<T>> extends Sweep {
        private final ObjectKind kind;
        private final ObjectTable<T> table;
        private final Iterator<T> left;

        ObjectSweep(ObjectKind kind, ObjectTable<T> table, long listVersion) {
            super(listVersion, tombstones.limit());
            this.kind = kind;
            this.table = table;
            this.left = table.of(kind);
        }

        @Override
        boolean isDone() {
            return !left.hasNext();
        }

        @Override
        boolean next() {
            String uid = left.next().uid();
            T stored = table.find(uid);
            if (stored == null || stored.kind() != kind || !removes(named.of(kind, uid), stored.resourceVersion())) {
                return false;
            }
            table.remove(uid);
            if (remembersNext()) {
                tombstones.remember(uid, listVersion());
            }
            return true;
        }
    }

    private final class NodeSweep extends Sweep {
        /** How many slots were not checked yet. */
        private int slotsLeft = nodes.limit();

        NodeSweep(long listVersion) {
            super(listVersion, tombstones.limit());
        }

        @Override
        boolean isDone() {
            return slotsLeft == 0;
        }

        @Override
        boolean next() {
            int slot = --slotsLeft;
            if (!nodes.isKnown(slot) || !removes(named.of(ObjectKind.NODE, nodes.uid(slot)), nodes.version(slot))) {
                return false;
            }
            String uid = nodes.uid(slot);
            nodeEvents.remove(slot);
            if (remembersNext()) {
                tombstones.remember(uid, listVersion());
            }
            return true;
        }
    }
}
