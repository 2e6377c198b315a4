package io.evenkeel.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.script.Lists;
import io.evenkeel.engine.store.ClusterChanges;
import io.evenkeel.engine.store.ClusterStore;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that tombstones of owners and deleted pods follow the same rules. */
final class TombstonesTest {
    enum Kind {
        OWNER,
        POD
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64, 100})
    void oldestGoFirst_beyondTheLimit(int limit) {
        for (Kind kind : Kind.values()) {
            ClusterStore store = new ClusterStore(16, limit);
            ClusterChanges changes = new ClusterChanges(store);
            for (int i = 0; i < 3 * limit; i++) {
                tell(changes, kind, Change.ADDED, i, 1);
                tell(changes, kind, Change.DELETED, i, 1);
            }
            new IndexValidator(store).validate();
            for (int i = 3 * limit - 1; i >= 0; i--) {
                assertEquals(i < 2 * limit, tell(changes, kind, Change.MODIFIED, i, 2), kind + " " + i);
            }
            new IndexValidator(store).validate();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void newestVersionReportedOfAUid_holds(Kind kind) {
        ClusterStore store = new ClusterStore(16, 8);
        ClusterChanges changes = new ClusterChanges(store);
        for (int uid : new int[] {0, 1}) {
            tell(changes, kind, Change.DELETED, uid, -1);
            tell(changes, kind, Change.DELETED, uid, 5);
            assertFalse(tell(changes, kind, Change.ADDED, uid, 6), "versions are unsigned");
            assertFalse(tell(changes, kind, Change.MODIFIED, uid, 0));
            assertTrue(tell(changes, kind, Change.ADDED, uid, 0));
            assertTrue(tell(changes, kind, Change.DELETED, uid, 7), "a UID that returned is not deleted");
        }
        new IndexValidator(store).validate();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void nothingIsHeld_ifNoneMayBe(Kind kind) {
        ClusterStore store = new ClusterStore(16, 0);
        ClusterChanges changes = new ClusterChanges(store);
        tell(changes, kind, Change.DELETED, 0, 1);
        assertTrue(tell(changes, kind, Change.MODIFIED, 0, 1));
        tell(changes, kind, Change.DELETED, 0, 1);
        new IndexValidator(store).validate();
        assertTrue(tell(changes, kind, Change.ADDED, 0, 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void textsOfUids_goWithTheDeletedPods(int parity) {
        ClusterStore store = new ClusterStore(16, 3);
        ClusterChanges changes = new ClusterChanges(store);
        int before = store.strings.size();
        for (int i = parity; i < 40; i += 2) {
            tell(changes, Kind.POD, Change.DELETED, i, 1);
        }
        assertEquals(before + 3 * parity, store.strings.size());
    }

    /** When a new cluster is fed over an old one, the old one is removed at once. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void sweepOfMany_leavesHalfOfThem_toDeletionsThatWereReported(Kind kind) {
        ClusterStore store = new ClusterStore(16, 10);
        ClusterChanges changes = new ClusterChanges(store);
        for (int i = 0; i < 20; i++) {
            tell(changes, kind, Change.DELETED, i, 7);
        }
        for (int i = 20; i < 60; i++) {
            tell(changes, kind, Change.ADDED, i, 6);
        }
        Set<ObjectKind> swept = Set.of(ObjectKind.POD, ObjectKind.REPLICA_SET);
        changes.snapshot.begin(swept);
        while (swept.stream().anyMatch(changes.snapshot::isInProgress)) {
            changes.snapshot.sweep(Lists.at(8, swept), () -> true);
        }
        new IndexValidator(store).validate();
        int remembered = 0;
        for (int i = 59; i >= 0; i--) {
            if (!tell(changes, kind, Change.MODIFIED, i, 7)) {
                remembered++;
                assertTrue(i >= 15, i + " was among the oldest");
            }
        }
        assertEquals(10, remembered);
        new IndexValidator(store).validate();
    }

    private static boolean tell(ClusterChanges changes, Kind kind, Change change, int number, long version) {
        return switch (kind) {
            case OWNER ->
                changes.owners.apply(
                        change,
                        new OwnerObject(ObjectKind.REPLICA_SET, "shop", "web-" + number, uid(number), version, null));
            case POD ->
                changes.pods.apply(
                        change,
                        PodRecord.of(new PodObject(
                                "shop", "web", uid(number), version, Map.of("app", "web"), "node", false, false)));
        };
    }

    /** A UUID or, if {@code i} is odd, another text. */
    private static String uid(int i) {
        return i % 2 == 0 ? new UUID(7, i).toString() : "pod-" + i;
    }
}
