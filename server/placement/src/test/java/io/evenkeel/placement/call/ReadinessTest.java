package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.ErrorReason;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests which kinds have a state, and why queries must wait. */
final class ReadinessTest {
    private static final Set<ObjectKind> NODES = Set.of(ObjectKind.NODE);
    private static final Set<ObjectKind> PODS = Set.of(ObjectKind.POD);

    private final Readiness readiness = new Readiness();

    @Test
    void queries_areAnswered_onceEveryKindIsReady() {
        for (ObjectKind kind : ObjectKind.ALL) {
            assertFalse(readiness.isReady());
            assertEquals(
                    kind == ObjectKind.NODE
                            ? "no cluster state has been received yet"
                            : "no cluster state has been received yet (" + from(kind) + ")",
                    refusal(ErrorReason.ERROR_REASON_NOT_FED));
            readiness.beginSnapshot(Set.of(kind));
            readiness.endSnapshot(Set.of(kind));
        }
        assertTrue(readiness.isReady());
        readiness.require();
    }

    private static String from(ObjectKind first) {
        return EnumSet.range(first, ObjectKind.STATEFUL_SET).stream()
                .map(ObjectKind::name)
                .collect(Collectors.joining(", "));
    }

    @Test
    void firstSnapshotOfOneKind_keepsQueriesWaiting_aLaterOneDoesNot() {
        feedAllBut(NODES);
        readiness.beginSnapshot(NODES);
        assertEquals(
                "the first snapshot is in progress (NODE)", refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY));
        assertEquals(without(NODES), ready());
        readiness.endSnapshot(NODES);
        readiness.require();
        readiness.beginSnapshot(NODES);
        readiness.require();
        readiness.abandonSnapshot(NODES);
        readiness.require();
        assertEquals(ObjectKind.ALL, ready());
    }

    @Test
    void firstSnapshotThatBreaksOff_mustBeFollowedByAWholeOne_ofItsKind() {
        readiness.beginSnapshot(ObjectKind.ALL);
        readiness.endSnapshot(PODS);
        readiness.abandonSnapshot(without(PODS));
        assertEquals(PODS, ready());
        readiness.beginSnapshot(without(NODES));
        readiness.endSnapshot(without(NODES));
        assertEquals(
                "the first snapshot was aborted; waiting for a complete one (NODE)",
                refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF));
        readiness.eventsApplied();
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF);
        readiness.beginSnapshot(NODES);
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY);
        readiness.endSnapshot(NODES);
        readiness.require();
    }

    @Test
    void events_makeAStateOfEveryKind_butOfThoseWhoseFirstSnapshotIsUnderWay() {
        readiness.beginSnapshot(NODES);
        readiness.eventsApplied();
        assertEquals(without(NODES), ready());
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY);
        readiness.endSnapshot(NODES);
        readiness.require();
    }

    @Test
    void events_makeAStateOfNoKind_whereSnapshotsAreExpected_thoughNoneWasBegun() {
        readiness.expectSnapshots();
        readiness.eventsApplied();
        assertEquals(Set.of(), ready());
        assertFalse(readiness.hasBegun());
        refusal(ErrorReason.ERROR_REASON_NOT_FED);
    }

    /** The feeder may start shortly after the server listens. */
    @Test
    void stateOfEventsAlone_isNone_onceSnapshotsAreExpected_andOtherKindsStay() {
        readiness.eventsApplied();
        readiness.beginSnapshot(NODES);
        readiness.endSnapshot(NODES);
        readiness.beginSnapshot(PODS);
        readiness.expectSnapshots();
        assertEquals(NODES, ready());
        readiness.endSnapshot(PODS);
        assertEquals(Set.of(ObjectKind.NODE, ObjectKind.POD), ready());
        readiness.expectSnapshots();
        assertEquals(Set.of(ObjectKind.NODE, ObjectKind.POD), ready());
    }

    @Test
    void firstSnapshotThatBreaksOff_afterEventsHadMadeAState_mustBeFollowedByAWholeOne() {
        readiness.eventsApplied();
        readiness.beginSnapshot(NODES);
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY);
        readiness.abandonSnapshot(NODES);
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF);
        assertEquals(without(NODES), ready());
        readiness.eventsApplied();
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF);
        readiness.beginSnapshot(NODES);
        readiness.endSnapshot(NODES);
        readiness.require();
    }

    @Test
    void kindHasBegun_onceItsFirstSnapshotHas_alsoWhereThatBrokeOff() {
        assertFalse(readiness.hasBegun(ObjectKind.NODE));
        readiness.beginSnapshot(NODES);
        assertTrue(readiness.hasBegun(ObjectKind.NODE));
        assertFalse(readiness.hasBegun(ObjectKind.POD));
        readiness.abandonSnapshot(NODES);
        assertTrue(readiness.hasBegun(ObjectKind.NODE));
    }

    private void feedAllBut(Set<ObjectKind> kinds) {
        readiness.beginSnapshot(without(kinds));
        readiness.endSnapshot(without(kinds));
    }

    private static Set<ObjectKind> without(Set<ObjectKind> kinds) {
        return EnumSet.complementOf(EnumSet.copyOf(kinds));
    }

    private Set<ObjectKind> ready() {
        Set<ObjectKind> ready = new TreeSet<>(ObjectKind.ALL);
        ready.removeIf(kind -> !readiness.isReady(kind));
        return ready;
    }

    private String refusal(ErrorReason reason) {
        RequestException refused = assertThrows(RequestException.class, readiness::require);
        assertEquals(reason, refused.reason());
        return refused.getMessage();
    }
}
