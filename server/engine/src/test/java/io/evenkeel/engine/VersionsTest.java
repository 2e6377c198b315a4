package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.script.Lists;
import io.evenkeel.engine.store.AssumedPods;
import io.evenkeel.engine.store.ClusterChanges;
import io.evenkeel.engine.store.ClusterStore;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which events are too old, for nodes, pods and owners. */
final class VersionsTest {
    enum Kind {
        NODE,
        POD,
        OWNER
    }

    private final ClusterStore store = new ClusterStore(16, 8);
    private final ClusterChanges changes = new ClusterChanges(store);

    @AfterEach
    void index_isWhatARecountSays() {
        new IndexValidator(store).validate();
    }

    /** Events of one object at versions, 0 if unknown. A minus marks an event that is too old. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                // An event without a version in between.
                "ADDED 10, MODIFIED 0, -MODIFIED 9, MODIFIED 11",
                // The object returns without a version.
                "ADDED 10, DELETED 12, ADDED 0, -MODIFIED 11, MODIFIED 13",
                // A list may go back to an older version.
                "ADDED 10, LISTED 5, MODIFIED 6",
                // A deletion without a version keeps the known version.
                "ADDED 10, DELETED 0, -ADDED 9, ADDED 11",
            })
    void events_areTaken_unlessTheyAreTooOld(String events) {
        for (Kind kind : Kind.values()) {
            int state = 0;
            for (String event : events.split(", ", -1)) {
                boolean tooOld = event.startsWith("-");
                String[] words = event.substring(tooOld ? 1 : 0).split(" ", -1);
                boolean taken = tell(kind, Change.valueOf(words[0]), "v" + state++, Long.parseLong(words[1]));
                assertEquals(!tooOld, taken, kind + ": " + event);
            }
        }
    }

    /** @param value distinguishes one state of the object from another */
    private boolean tell(Kind kind, Change change, String value, long version) {
        Map<String, String> labels = Map.of("app", value);
        return switch (kind) {
            case NODE -> changes.nodes.apply(change, new NodeObject("n", "uid", version, labels, List.of(), false));
            case OWNER ->
                changes.owners.apply(
                        change,
                        new OwnerObject(
                                ObjectKind.SERVICE, "shop", "web", "uid", version, PodSelector.ofLabels(labels)));
            case POD ->
                changes.pods.apply(
                        change, PodRecord.of(new PodObject("shop", "web", "uid", version, labels, "n", false, false)));
        };
    }

    @ParameterizedTest
    @EnumSource(
            value = Change.class,
            names = {"ADDED", "MODIFIED"})
    void assumedPod_isAtNoVersion_whateverItsRowsLastPodWasAt(Change change) {
        PodRecord gone = pod("gone", 100);
        changes.snapshot.begin(ObjectKind.ALL);
        changes.pods.apply(Change.ADDED, gone);
        changes.snapshot.begin(ObjectKind.ALL);
        changes.snapshot.sweep(Lists.of(ObjectKind.ALL), () -> false);
        changes.snapshot.abandon(ObjectKind.ALL);
        assertEquals(0, store.pods.size());
        changes.assumptions.assume(pod("assumed", 0), "n", AssumedPods.FOR_EVER);
        assertTrue(changes.pods.apply(change, pod("assumed", 0)));
        assertTrue(changes.pods.apply(
                Change.MODIFIED,
                PodRecord.of(new PodObject("shop", "web", "assumed", 7, Map.of("app", "other"), "n", false, false))));
    }

    private static PodRecord pod(String uid, long version) {
        return PodRecord.of(new PodObject("shop", "web", uid, version, Map.of("app", "web"), "", false, false));
    }
}
