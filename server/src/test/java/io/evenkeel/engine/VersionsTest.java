package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which events are too old, for nodes, pods and owners alike. */
final class VersionsTest {
    enum Kind {
        NODE,
        POD,
        OWNER
    }

    private final ClusterStore store = new ClusterStore(16, 8);

    @AfterEach
    void index_isWhatARecountSays() {
        new IndexValidator(store).validate();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void oldEvent_staysTooOld_whenOneWithoutVersionComesBetween(Kind kind) {
        assertTrue(tell(kind, Change.ADDED, "a", 10));
        assertTrue(tell(kind, Change.MODIFIED, "b", 0));
        assertFalse(tell(kind, Change.MODIFIED, "c", 9));
        assertTrue(tell(kind, Change.MODIFIED, "c", 11));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void oldEvent_staysTooOld_whenItsObjectReturnsWithoutVersion(Kind kind) {
        tell(kind, Change.ADDED, "a", 10);
        assertTrue(tell(kind, Change.DELETED, "a", 12));
        assertTrue(tell(kind, Change.ADDED, "b", 0));
        assertFalse(tell(kind, Change.MODIFIED, "c", 11));
        assertTrue(tell(kind, Change.MODIFIED, "c", 13));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void listedObject_isFollowed_toAnOlderVersion(Kind kind) {
        tell(kind, Change.ADDED, "a", 10);
        assertTrue(tell(kind, Change.LISTED, "b", 5));
        assertTrue(tell(kind, Change.MODIFIED, "c", 6));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void deletionWithoutVersion_keepsTheOneThatWasKnown(Kind kind) {
        tell(kind, Change.ADDED, "a", 10);
        assertTrue(tell(kind, Change.DELETED, "a", 0));
        assertFalse(tell(kind, Change.ADDED, "b", 9));
        assertTrue(tell(kind, Change.ADDED, "b", 11));
    }

    /** @param value what tells one state of the object from another */
    private boolean tell(Kind kind, Change change, String value, long version) {
        Map<String, String> labels = Map.of("app", value);
        return switch (kind) {
            case NODE -> store.apply(change, new NodeObject("n", "uid", version, labels, List.of(), false));
            case OWNER ->
                store.apply(
                        change,
                        new OwnerObject(
                                OwnerObject.Kind.SERVICE,
                                "shop",
                                "web",
                                "uid",
                                version,
                                LabelSelector.ofLabels(labels)));
            case POD ->
                store.placements.apply(
                        change, PodRecord.of(new PodObject("shop", "web", "uid", version, labels, "n", false, false)));
        };
    }

    @ParameterizedTest
    @EnumSource(
            value = Change.class,
            names = {"ADDED", "MODIFIED"})
    void assumedPod_isAtNoVersion_whateverItsRowsLastPodWasAt(Change change) {
        PodRecord gone = pod("gone", 100);
        store.placements.beginSnapshot();
        store.placements.apply(Change.ADDED, gone);
        store.placements.beginSnapshot();
        store.placements.sweep(() -> false);
        store.placements.abandonSnapshot();
        assertEquals(0, store.pods.size());
        store.placements.assume(pod("assumed", 0), "n", PodStore.FOR_EVER);
        assertTrue(store.placements.apply(change, pod("assumed", 0)));
        assertTrue(store.placements.apply(
                Change.MODIFIED,
                PodRecord.of(new PodObject("shop", "web", "assumed", 7, Map.of("app", "other"), "n", false, false))));
    }

    private static PodRecord pod(String uid, long version) {
        return PodRecord.of(new PodObject("shop", "web", uid, version, Map.of("app", "web"), "", false, false));
    }
}
