package io.evenkeel.engine.naive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.script.Lists;
import io.evenkeel.engine.script.Verdict;
import io.evenkeel.engine.script.World;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the rules for events that are late, duplicated or out of order, one at a time. */
final class ClusterModelTest {
    private static final Set<ObjectKind> PODS = Set.of(ObjectKind.POD);
    private static final Map<String, String> WEB = Map.of("app", "web");

    private final ClusterModel model = new ClusterModel();

    @BeforeEach
    void twoZones() {
        assertTrue(model.apply(Change.ADDED, node("n1", "uid-n1", 1, "a")));
        assertTrue(model.apply(Change.ADDED, node("n2", "uid-n2", 1, "b")));
    }

    @Test
    void eventThatIsNotNewer_changesNothing() {
        assertTrue(model.apply(Change.ADDED, pod("p", 5, "n1")));
        assertFalse(model.apply(Change.MODIFIED, pod("p", 5, "n2")));
        assertFalse(model.apply(Change.ADDED, pod("p", 4, "n2")));
        assertCounted("n1");
        assertTrue(model.apply(Change.MODIFIED, pod("p", 6, "n2")));
        assertCounted("n2");
    }

    @Test
    void resourceVersion_isComparedUnsigned() {
        assertTrue(model.apply(Change.ADDED, pod("p", Long.MAX_VALUE, "n1")));
        assertTrue(model.apply(Change.MODIFIED, pod("p", Long.MIN_VALUE, "n2")));
        assertFalse(model.apply(Change.MODIFIED, pod("p", Long.MAX_VALUE, "n1")));
        assertCounted("n2");
    }

    @Test
    void unknownResourceVersion_isAlwaysTakenAsNewer() {
        assertTrue(model.apply(Change.ADDED, pod("p", 5, "n1")));
        assertTrue(model.apply(Change.MODIFIED, pod("p", 0, "n2")));
        assertCounted("n2");
    }

    @Test
    void deletion_removes_whateverItsResourceVersion() {
        assertTrue(model.apply(Change.ADDED, pod("p", 5, "n1")));
        assertTrue(model.apply(Change.DELETED, pod("p", 1, "")));
        assertCounted();
        assertFalse(model.apply(Change.DELETED, pod("p", 9, "n1")));
    }

    @Test
    void lateEvent_bringsNoDeletedPodBack() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        model.apply(Change.DELETED, pod("p", 7, "n1"));
        assertFalse(model.apply(Change.MODIFIED, pod("p", 8, "n1")));
        assertFalse(model.apply(Change.ADDED, pod("p", 6, "n1")));
        assertCounted();
        assertTrue(model.apply(Change.ADDED, pod("p", 8, "n1")));
        assertCounted("n1");
    }

    @Test
    void deletedObject_mayReturnAsItWas() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        model.apply(Change.DELETED, pod("p", 5, "n1"));
        assertCounted();
        assertTrue(model.apply(Change.ADDED, pod("p", 5, "n1")));
        assertCounted("n1");
        model.apply(Change.DELETED, node("n1", "uid-n1", 1, "a"));
        assertCounted();
        assertTrue(model.apply(Change.ADDED, node("n1", "uid-n1", 1, "a")));
        assertCounted("n1");
    }

    /** Otherwise the older of two events that arrive in the wrong order would win. */
    @Test
    void nodeWhoseNameAnotherTook_returnsOnlyIfItIsNewer() {
        model.apply(Change.ADDED, node("n1", "another uid", 3, "b"));
        assertFalse(model.apply(Change.ADDED, node("n1", "uid-n1", 1, "a")));
        assertTrue(model.apply(Change.ADDED, node("n1", "uid-n1", 4, "a")));
    }

    @Test
    void eventsThatAllComeTwice_leaveTheNodeThatHasTheNameNow() {
        for (int time = 0; time < 2; time++) {
            model.apply(Change.ADDED, node("n3", "first", 5, "c"));
            model.apply(Change.DELETED, node("n3", "first", 5, "c"));
            model.apply(Change.ADDED, node("n3", "second", 8, "d"));
            assertEquals(Set.of("n1", "n2", "n3"), model.nodeNames());
        }
        assertTrue(model.apply(Change.MODIFIED, node("n3", "second", 9, "d")));
    }

    @Test
    void deletedNode_returnsWithItsPods() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        model.apply(Change.DELETED, node("n1", "uid-n1", 6, "a"));
        assertCounted();
        model.apply(Change.ADDED, node("n1", "another uid", 7, "a"));
        assertCounted("n1");
    }

    @Test
    void nodeOfTheSameName_takesOver_andOutlivesTheDeletionOfTheOther() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        model.apply(Change.ADDED, node("n1", "another uid", 3, "b"));
        assertFalse(model.apply(Change.DELETED, node("n1", "uid-n1", 4, "a")));
        assertEquals(Set.of("n1", "n2"), model.nodeNames());
        assertCounted("n1");
    }

    @Test
    void podsOfTheSameName_bothCount() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        model.apply(Change.ADDED, new PodObject("ns", "p", "another uid", 6, WEB, "n2", false, false));
        assertCounted("n1", "n2");
    }

    @Test
    void snapshot_replacesWhatIsThere_andRemovesWhatItDidNotName() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        model.apply(Change.ADDED, pod("q", 6, "n1"));
        model.beginSnapshot(ObjectKind.ALL);
        model.apply(Change.LISTED, node("n1", "uid-n1", 1, "a"));
        model.apply(Change.LISTED, node("n2", "uid-n2", 1, "b"));
        assertTrue(model.apply(Change.LISTED, pod("p", 3, "n2")));
        assertCounted("n1", "n2");
        model.endSnapshot(Lists.at(7, ObjectKind.ALL));
        assertCounted("n2");
        assertFalse(model.apply(Change.MODIFIED, pod("q", 8, "n1")));
        assertFalse(model.apply(Change.ADDED, pod("q", 6, "n1")));
        model.assume(pod("q", 6, "n1"), 100);
        assertCounted("n2");
        assertTrue(model.apply(Change.ADDED, pod("q", 7, "n1")));
        assertCounted("n1", "n2");
    }

    @Test
    void snapshotWithoutVersions_leavesNothingToWhichAnEventIsLate() {
        model.apply(Change.ADDED, pod("p", 0, "n1"));
        model.beginSnapshot(PODS);
        model.endSnapshot(Lists.of(PODS));
        assertCounted();
        assertTrue(model.apply(Change.MODIFIED, pod("p", 0, "n1")));
        assertCounted("n1");
    }

    /** Otherwise the feed could not report it again, as it does after such a list. */
    @Test
    void snapshotOlderThanTheState_deletesAtItsOwnVersion() {
        model.apply(Change.ADDED, pod("p", 8, "n1"));
        model.apply(Change.MODIFIED, pod("p", 9, "n1"));
        model.beginSnapshot(PODS);
        model.endSnapshot(Lists.at(7, PODS));
        assertCounted();
        assertTrue(model.apply(Change.ADDED, pod("p", 8, "n1")));
        assertTrue(model.apply(Change.MODIFIED, pod("p", 9, "n2")));
        assertCounted("n2");
    }

    @Test
    void eventFromElsewhere_savesAnObjectFromASnapshot_ifItIsNewerThanTheList() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        model.beginSnapshot(PODS);
        model.setFromElsewhere(true);
        assertTrue(model.apply(Change.MODIFIED, pod("p", 6, "n1")));
        assertTrue(model.apply(Change.ADDED, pod("q", 8, "n2")));
        model.setFromElsewhere(false);
        model.endSnapshot(Lists.at(7, PODS));
        assertCounted("n2");
    }

    @Test
    void eventOfTheFeed_savesAnObjectFromItsSnapshot_unlessItIsOlderThanWhatIsStored() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        model.apply(Change.ADDED, pod("q", 5, "n2"));
        model.beginSnapshot(PODS);
        assertFalse(model.apply(Change.MODIFIED, pod("p", 4, "n1")));
        assertFalse(model.apply(Change.MODIFIED, pod("q", 5, "n2")));
        model.endSnapshot(Lists.at(7, PODS));
        assertCounted("n2");
    }

    @Test
    void snapshotThatBreaksOff_removesNothing() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        model.beginSnapshot(ObjectKind.ALL);
        model.abandonSnapshot(ObjectKind.ALL);
        assertCounted("n1");
        assertThrows(IllegalStateException.class, () -> model.endSnapshot(Lists.of(ObjectKind.ALL)));
    }

    @Test
    void assumedPod_countsUntilItIsForgottenOrExpires() {
        model.assume(pod("p", 0, "n1"), 100);
        model.assume(pod("q", 0, "n2"), 200);
        assertCounted("n1", "n2");
        model.forget("p");
        assertCounted("n2");
        model.expire(199);
        assertCounted("n2");
        model.expire(200);
        assertCounted();
    }

    @Test
    void assumedPod_isConfirmedByTheEventThatPlacesIt_whoseNodeWins() {
        model.apply(Change.ADDED, pod("p", 5, ""));
        model.assume(pod("p", 5, "n1"), 100);
        model.apply(Change.MODIFIED, pod("p", 6, ""));
        assertCounted("n1");
        model.apply(Change.MODIFIED, pod("p", 7, "n2"));
        assertCounted("n2");
        model.forget("p");
        model.expire(1_000);
        assertCounted("n2");
        model.assume(pod("p", 7, "n1"), 2_000);
        assertCounted("n2");
    }

    @Test
    void assumedPod_endsWithItsDeletion() {
        model.assume(pod("p", 0, "n1"), 100);
        assertTrue(model.apply(Change.DELETED, pod("p", 6, "")));
        assertCounted();
        model.assume(pod("p", 0, "n1"), 100);
        assertCounted();
    }

    @Test
    void whatIf_answersForTheChangedCluster() {
        model.apply(Change.ADDED, pod("p", 5, "n1"));
        IncomingPod incoming = World.web(World.hard(World.ZONE));
        IncomingPod pod = new IncomingPod("ns", WEB, Map.of(), null, List.of(), incoming.constraints(), null);
        SpreadDefaults none = SpreadDefaults.NONE;
        assertEquals(VerdictCode.UNSCHEDULABLE, model.whatIf(pod, none, "n1", Overlay.NONE));
        assertEquals(VerdictCode.SUCCESS, model.whatIf(pod, none, "n1", Overlay.without(PodKey.ofUid("p"))));
        assertEquals(VerdictCode.SUCCESS, model.whatIf(pod, none, "n1", Overlay.without(PodKey.ofName("ns", "p"))));
        assertEquals(
                VerdictCode.UNSCHEDULABLE,
                model.whatIf(
                        pod,
                        none,
                        "n1",
                        new Overlay(List.of(PodKey.ofUid("p")), List.of(new Overlay.InFull(pod("q", 0, ""))))));
        assertNull(model.whatIf(pod, none, "n9", Overlay.NONE));
    }

    /** The nodes that the pods with {@code app: web} are counted on, one pod each. */
    private void assertCounted(String... nodes) {
        // minDomains is so high that the minimum is 0: a node with a pod is full.
        SpreadConstraint onePerHost = World.constraint(World.HOSTNAME, true, Integer.MAX_VALUE, true, false);
        IncomingPod pod = new IncomingPod("ns", WEB, Map.of(), null, List.of(), List.of(onePerHost), null);
        Map<String, Verdict> verdicts = model.filter(pod, SpreadDefaults.NONE, Overlay.NONE, model.nodeNames());
        verdicts.values().removeIf(verdict -> verdict.code() == VerdictCode.SUCCESS);
        assertEquals(Set.of(nodes), verdicts.keySet());
    }

    private static NodeObject node(String name, String uid, long version, String zone) {
        return new NodeObject(name, uid, version, Map.of(World.ZONE, zone, World.HOSTNAME, name), List.of(), false);
    }

    private static PodObject pod(String name, long version, String nodeName) {
        return new PodObject("ns", name, name, version, WEB, nodeName, false, false);
    }
}
