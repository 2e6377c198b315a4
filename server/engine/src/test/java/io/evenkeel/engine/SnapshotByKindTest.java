package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.naive.ClusterModel;
import io.evenkeel.engine.script.Lists;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.store.ClusterChanges;
import io.evenkeel.engine.store.ClusterStore;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests snapshots of some of the kinds, which begin, are swept and end independently. */
final class SnapshotByKindTest {
    private static final int OBJECTS = 12;
    private static final Set<ObjectKind> NODES = Set.of(ObjectKind.NODE);
    private static final Set<ObjectKind> PODS = Set.of(ObjectKind.POD);

    private ClusterStore store = new ClusterStore(64, 1000);
    private ClusterChanges changes = new ClusterChanges(store);
    private long version;

    @AfterEach
    void validate() {
        new IndexValidator(store).validate();
    }

    @Test
    void relistOfOneKind_leavesTheOthersAlone() {
        for (ObjectKind relisted : ObjectKind.ALL) {
            fill();
            changes.snapshot.begin(Set.of(relisted));
            tell(Change.LISTED, relisted, 3);
            assertEquals(OBJECTS - 1, sweepToTheEnd(Set.of(relisted)));
            for (ObjectKind kind : ObjectKind.ALL) {
                assertEquals(kind == relisted ? Set.of(uid(kind, 3)) : uids(kind), present(kind));
            }
        }
    }

    @Test
    void ownersOfOneKind_areSweptAlone() {
        fill();
        changes.snapshot.begin(Set.of(ObjectKind.SERVICE, ObjectKind.REPLICA_SET));
        tell(Change.LISTED, ObjectKind.SERVICE, 1);
        assertEquals(OBJECTS, sweepToTheEnd(Set.of(ObjectKind.REPLICA_SET)));
        assertEquals(Set.of(ObjectKind.SERVICE), Lists.underWay(changes.snapshot));
        assertEquals(uids(ObjectKind.SERVICE), present(ObjectKind.SERVICE));
        assertEquals(uids(ObjectKind.STATEFUL_SET), present(ObjectKind.STATEFUL_SET));
        assertEquals(OBJECTS - 1, sweepToTheEnd(Set.of(ObjectKind.SERVICE)));
        assertEquals(Set.of(uid(ObjectKind.SERVICE, 1)), present(ObjectKind.SERVICE));
    }

    @Test
    void ownerThatBecomesAnotherKind_belongsToThatOnesSnapshot() {
        fill();
        changes.snapshot.begin(Set.of(ObjectKind.SERVICE, ObjectKind.STATEFUL_SET));
        // The same UID names a service first, then a stateful set.
        String uid = uid(ObjectKind.SERVICE, 1);
        owner(Change.LISTED, ObjectKind.SERVICE, uid);
        owner(Change.LISTED, ObjectKind.STATEFUL_SET, uid);
        assertEquals(OBJECTS - 1, sweepToTheEnd(Set.of(ObjectKind.SERVICE)));
        assertEquals(OBJECTS, sweepToTheEnd(Set.of(ObjectKind.STATEFUL_SET)));
        assertEquals(Set.of(), present(ObjectKind.SERVICE));
        assertEquals(Set.of(uid), present(ObjectKind.STATEFUL_SET));
    }

    @Test
    void ownerThatBecomesAnotherKindDuringTheSweep_stays() {
        fill();
        changes.snapshot.begin(Set.of(ObjectKind.SERVICE));
        changes.snapshot.sweep(Lists.of(Set.of(ObjectKind.SERVICE)), () -> true);
        Set<String> left = present(ObjectKind.SERVICE);
        left.forEach(uid -> owner(Change.MODIFIED, ObjectKind.REPLICA_SET, uid));
        assertEquals(0, sweepToTheEnd(Set.of(ObjectKind.SERVICE)));
        assertEquals(OBJECTS + left.size(), present(ObjectKind.REPLICA_SET).size());
    }

    @Test
    void snapshotThatBeginsAgain_forgetsWhatTheOneBeforeHadNamed_ofItsKindsOnly() {
        fill();
        changes.snapshot.begin(ObjectKind.ALL);
        tell(Change.LISTED, ObjectKind.POD, 1);
        tell(Change.LISTED, ObjectKind.NODE, 1);
        changes.snapshot.begin(PODS);
        tell(Change.LISTED, ObjectKind.POD, 2);
        sweepToTheEnd(ObjectKind.ALL);
        assertEquals(Set.of(uid(ObjectKind.POD, 2)), present(ObjectKind.POD));
        assertEquals(Set.of(uid(ObjectKind.NODE, 1)), present(ObjectKind.NODE));
    }

    @Test
    void kindThatIsAbandonedDuringTheSweep_losesNothingMore_andTheOthersAreSweptToTheEnd() {
        fill();
        changes.snapshot.begin(ObjectKind.ALL);
        changes.snapshot.sweep(Lists.of(ObjectKind.ALL), () -> true);
        int left = present(ObjectKind.POD).size();
        changes.snapshot.abandon(PODS);
        sweepToTheEnd(ObjectKind.ALL);
        assertEquals(left, present(ObjectKind.POD).size());
        assertEquals(Set.of(), present(ObjectKind.NODE));
    }

    @Test
    void sweepOfAKindWithoutASnapshot_isRefused() {
        fill();
        changes.snapshot.begin(NODES);
        assertThrows(IllegalStateException.class, () -> changes.snapshot.sweep(Lists.of(PODS), () -> true));
        assertEquals(NODES, Lists.underWay(changes.snapshot));
    }

    @Test
    @Tag("long")
    void clusterIsThatOfTheModel_afterAnySnapshotsThatOverlap() {
        for (long seed = 0; seed < 200; seed++) {
            playOverlappingSnapshots(new RandomChoices(seed), "seed " + seed);
        }
    }

    /** Between any two steps of one sweep there are events, other snapshots, and steps of their sweeps. */
    private void playOverlappingSnapshots(RandomChoices dice, String origin) {
        store = new ClusterStore(64, 1000);
        changes = new ClusterChanges(store);
        ClusterModel model = new ClusterModel();
        Set<ObjectKind> ending = EnumSet.noneOf(ObjectKind.class);
        // Kinds that were swept in part. In the model a snapshot ends at once, so the model still has that part.
        EnumSet<ObjectKind> torn = EnumSet.noneOf(ObjectKind.class);
        for (int step = 0; step < 500; step++) {
            Set<ObjectKind> some = EnumSet.noneOf(ObjectKind.class);
            some.addAll(dice.some(ObjectKind.ALL, 0.4));
            int choice = dice.below(100);
            if (choice < 4) {
                ending.removeAll(some);
                changes.snapshot.begin(some);
                model.beginSnapshot(some);
            } else if (choice < 5) {
                ending.removeAll(some);
                changes.snapshot.abandon(some);
                model.abandonSnapshot(some);
            } else if (choice < 10) {
                some.retainAll(Lists.underWay(changes.snapshot));
                ending.addAll(some);
                torn.addAll(some);
            } else if (choice < 60) {
                ObjectKind kind = dice.pick(List.copyOf(ObjectKind.ALL));
                Change change = dice.pick(List.of(Change.values()));
                int number = dice.below(OBJECTS);
                if (change == Change.MODIFIED && isSwept(model, kind, number)) {
                    // It would restore the object in the model, in which it was not deleted yet.
                    continue;
                }
                Step event = event(change, kind, number);
                apply(event);
                applyTo(model, event);
            } else if (!ending.isEmpty()) {
                changes.snapshot.sweep(Lists.of(ending), () -> true);
                Set<ObjectKind> ended = EnumSet.copyOf(ending);
                ended.removeAll(Lists.underWay(changes.snapshot));
                ending.removeAll(ended);
                torn.removeAll(ended);
                if (!ended.isEmpty()) {
                    model.endSnapshot(Lists.of(ended));
                }
            }
            assertSame(model, EnumSet.complementOf(torn), origin + ", step " + step);
        }
        new IndexValidator(store).validate();
    }

    /** Whether the sweep in progress has removed the object. */
    private boolean isSwept(ClusterModel model, ObjectKind kind, int number) {
        String uid = uid(kind, number);
        return model.uids(kind).contains(uid) && !present(kind).contains(uid);
    }

    private void assertSame(ClusterModel model, Set<ObjectKind> kinds, String origin) {
        for (ObjectKind kind : kinds) {
            assertEquals(model.uids(kind), present(kind), () -> origin + ", " + kind);
        }
    }

    private void fill() {
        for (ObjectKind kind : ObjectKind.ALL) {
            for (int i = 0; i < OBJECTS; i++) {
                tell(Change.ADDED, kind, i);
            }
        }
    }

    private int sweepToTheEnd(Set<ObjectKind> kinds) {
        int removed = 0;
        while (kinds.stream().anyMatch(changes.snapshot::isInProgress)) {
            removed += changes.snapshot.sweep(Lists.of(kinds), () -> true);
        }
        return removed;
    }

    private void tell(Change change, ObjectKind kind, int number) {
        apply(event(change, kind, number));
    }

    /** An event that is newer than all earlier ones. */
    private Step event(Change change, ObjectKind kind, int number) {
        String uid = uid(kind, number);
        return switch (kind) {
            case NODE -> new Step.NodeEvent(change, new NodeObject(uid, uid, ++version, World.WEB, List.of(), false));
            case POD ->
                new Step.PodEvent(
                        change,
                        new PodObject(
                                World.NAMESPACE,
                                uid,
                                uid,
                                ++version,
                                World.WEB,
                                uid(ObjectKind.NODE, number % 3),
                                false,
                                false));
            case SERVICE, REPLICATION_CONTROLLER, REPLICA_SET, STATEFUL_SET -> ownerEvent(change, kind, uid);
            case POD_DISRUPTION_BUDGET ->
                new Step.BudgetEvent(
                        change, new DisruptionBudget(World.NAMESPACE, uid, uid, ++version, null, number % 3, Set.of()));
        };
    }

    /** One namespace has many owners of a kind, the others one each. */
    private Step ownerEvent(Change change, ObjectKind kind, String uid) {
        String namespace = uid.endsWith("1") ? uid : World.NAMESPACE;
        return new Step.OwnerEvent(change, new OwnerObject(kind, namespace, uid, uid, ++version, null));
    }

    private void owner(Change change, ObjectKind kind, String uid) {
        apply(ownerEvent(change, kind, uid));
    }

    private void apply(Step step) {
        if (step instanceof Step.NodeEvent event) {
            changes.nodes.apply(event.change(), event.node());
        } else if (step instanceof Step.PodEvent event) {
            changes.pods.apply(event.change(), PodRecord.of(event.pod()));
        } else if (step instanceof Step.OwnerEvent event) {
            changes.owners.apply(event.change(), event.owner());
        } else if (step instanceof Step.BudgetEvent event) {
            changes.budgets.apply(event.change(), event.budget());
        }
    }

    private static void applyTo(ClusterModel model, Step step) {
        if (step instanceof Step.NodeEvent event) {
            model.apply(event.change(), event.node());
        } else if (step instanceof Step.PodEvent event) {
            model.apply(event.change(), event.pod());
        } else if (step instanceof Step.OwnerEvent event) {
            model.apply(event.change(), event.owner());
        } else if (step instanceof Step.BudgetEvent event) {
            model.apply(event.change(), event.budget());
        }
    }

    private static String uid(ObjectKind kind, int number) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + number;
    }

    private static Set<String> uids(ObjectKind kind) {
        Set<String> uids = new TreeSet<>();
        for (int i = 0; i < OBJECTS; i++) {
            uids.add(uid(kind, i));
        }
        return uids;
    }

    private Set<String> present(ObjectKind kind) {
        Set<String> uids = new TreeSet<>();
        switch (kind) {
            case NODE -> {
                for (int slot = 0; slot < store.nodes.limit(); slot++) {
                    if (store.nodes.isKnown(slot)) {
                        uids.add(store.nodes.uid(slot));
                    }
                }
            }
            case POD -> {
                for (int pod = 0; pod < store.pods.limit(); pod++) {
                    if (store.pods.isLive(pod)) {
                        uids.add(store.pods.uid(pod));
                    }
                }
            }
            case POD_DISRUPTION_BUDGET -> store.budgets.all().forEach(budget -> uids.add(budget.uid()));
            default -> store.owners.of(kind).forEachRemaining(owner -> uids.add(owner.uid()));
        }
        return uids;
    }
}
