package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.script.Lists;
import io.evenkeel.v1.ErrorReason;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests which kinds have a state, and why queries must wait. */
final class FeedsTest {
    private static final Set<ObjectKind> NODES = Set.of(ObjectKind.NODE);
    private static final Set<ObjectKind> PODS = Set.of(ObjectKind.POD);

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
    private final Feeds feeds = new Feeds(Duration.ofSeconds(30), System::nanoTime);
    private final FeedStream stream = feeds.open();

    @Test
    void queries_areAnswered_onceEveryKindButBudgetsIsReady() {
        for (ObjectKind kind : ObjectKind.OF_PLACEMENT) {
            assertFalse(feeds.isReady());
            assertEquals(
                    kind == ObjectKind.NODE
                            ? "no cluster state has been received yet"
                            : "no cluster state has been received yet (" + from(kind) + ")",
                    refusal(ErrorReason.ERROR_REASON_NOT_FED));
            begin(Set.of(kind));
            end(Set.of(kind));
        }
        assertTrue(feeds.isReady());
        feeds.requireReady();
        assertEquals(ObjectKind.OF_PLACEMENT, ready());
        feeds.apply(NODES);
        assertEquals(ObjectKind.OF_PLACEMENT, ready());
        feeds.apply(Set.of(ObjectKind.POD_DISRUPTION_BUDGET));
        assertEquals(ObjectKind.ALL, ready());
    }

    @Test
    void copyOfReadyFeeds_hasAStateOfBudgets_onlyIfTheOriginalHas() {
        begin(ObjectKind.OF_PLACEMENT);
        end(ObjectKind.OF_PLACEMENT);
        assertEquals(ObjectKind.OF_PLACEMENT, ready(copy()));
        begin(Set.of(ObjectKind.POD_DISRUPTION_BUDGET));
        feeds.requireReady();
        end(Set.of(ObjectKind.POD_DISRUPTION_BUDGET));
        assertEquals(ObjectKind.ALL, ready(copy()));
    }

    private Feeds copy() {
        Feeds copy = new Feeds(Duration.ofSeconds(30), System::nanoTime);
        copy.becomeReadyLike(feeds);
        return copy;
    }

    private static String from(ObjectKind first) {
        return EnumSet.range(first, ObjectKind.STATEFUL_SET).stream()
                .map(ObjectKind::name)
                .collect(Collectors.joining(", "));
    }

    @Test
    void firstSnapshotOfOneKind_keepsQueriesWaiting_aLaterOneDoesNot() {
        feedAllBut(NODES);
        begin(NODES);
        assertEquals(
                "the first snapshot is in progress (NODE)", refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY));
        assertEquals(without(NODES), ready());
        end(NODES);
        feeds.requireReady();
        begin(NODES);
        feeds.requireReady();
        abort();
        feeds.requireReady();
        assertEquals(ObjectKind.ALL, ready());
    }

    @Test
    void firstSnapshotThatBreaksOff_mustBeFollowedByAWholeOne_ofItsKind() {
        begin(ObjectKind.ALL);
        end(PODS);
        abort();
        assertEquals(PODS, ready());
        begin(without(NODES));
        end(without(NODES));
        assertEquals(
                "the first snapshot was aborted; waiting for a complete one (NODE)",
                refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF));
        feeds.apply(ObjectKind.ALL);
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF);
        begin(NODES);
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY);
        end(NODES);
        feeds.requireReady();
    }

    @Test
    void events_makeAStateOfEveryKind_butOfThoseWhoseFirstSnapshotIsInProgress() {
        begin(NODES);
        feeds.apply(ObjectKind.ALL);
        assertEquals(without(NODES), ready());
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY);
        end(NODES);
        feeds.requireReady();
    }

    @Test
    void events_makeAStateOfNoKind_ifSnapshotsAreExpected_thoughNoneWasBegun() {
        feeds.expectSnapshots();
        feeds.apply(ObjectKind.ALL);
        assertEquals(Set.of(), ready());
        assertFalse(feeds.haveBegun());
        refusal(ErrorReason.ERROR_REASON_NOT_FED);
    }

    /** The feeder may start shortly after the server listens. */
    @Test
    void stateOfEventsAlone_isNone_onceSnapshotsAreExpected_andOtherKindsStay() {
        feeds.apply(ObjectKind.ALL);
        begin(NODES);
        end(NODES);
        begin(PODS);
        feeds.expectSnapshots();
        assertEquals(NODES, ready());
        end(PODS);
        assertEquals(Set.of(ObjectKind.NODE, ObjectKind.POD), ready());
        feeds.expectSnapshots();
        assertEquals(Set.of(ObjectKind.NODE, ObjectKind.POD), ready());
    }

    @Test
    void firstSnapshotThatBreaksOff_afterEventsHadMadeAState_mustBeFollowedByAWholeOne() {
        feeds.apply(ObjectKind.ALL);
        begin(NODES);
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY);
        abort();
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF);
        assertEquals(without(NODES), ready());
        feeds.apply(ObjectKind.ALL);
        refusal(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF);
        begin(NODES);
        end(NODES);
        feeds.requireReady();
    }

    @Test
    void kindHasBegun_onceItsFirstSnapshotHas_alsoIfThatWasAborted() {
        assertFalse(feeds.of(ObjectKind.NODE).hasBegun());
        begin(NODES);
        assertTrue(feeds.of(ObjectKind.NODE).hasBegun());
        assertFalse(feeds.of(ObjectKind.POD).hasBegun());
        abort();
        assertTrue(feeds.of(ObjectKind.NODE).hasBegun());
    }

    private void begin(Set<ObjectKind> kinds) {
        engine.write(writer -> feeds.begin(stream, kinds, "", false, writer));
    }

    private void end(Set<ObjectKind> kinds) {
        engine.write(writer -> feeds.end(Lists.of(kinds), writer));
    }

    private void abort() {
        feeds.close(stream, "its connection broke");
    }

    private void feedAllBut(Set<ObjectKind> kinds) {
        begin(without(kinds));
        end(without(kinds));
    }

    private static Set<ObjectKind> without(Set<ObjectKind> kinds) {
        return EnumSet.complementOf(EnumSet.copyOf(kinds));
    }

    private Set<ObjectKind> ready() {
        return ready(feeds);
    }

    private static Set<ObjectKind> ready(Feeds feeds) {
        Set<ObjectKind> ready = new TreeSet<>(ObjectKind.ALL);
        ready.removeIf(kind -> !feeds.of(kind).isReady());
        return ready;
    }

    private String refusal(ErrorReason reason) {
        RequestException refused = assertThrows(RequestException.class, feeds::requireReady);
        assertEquals(reason, refused.reason());
        return refused.getMessage();
    }
}
