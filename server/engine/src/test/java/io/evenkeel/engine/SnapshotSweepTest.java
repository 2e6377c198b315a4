package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.Lists;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.store.AssumedPods;
import io.evenkeel.engine.store.ClusterChanges;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.validator.PlanMaker;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the end of a snapshot: objects that it did not name are removed in slices, with events in between. */
final class SnapshotSweepTest {
    private static final int NODES = 8;
    private static final int PODS = 200;

    private final ClusterStore store = new ClusterStore(64, 1000);
    private final ClusterChanges changes = new ClusterChanges(store);
    private final IndexValidator validator = new IndexValidator(store);
    private final PlanMaker compiler = new PlanMaker(store);

    SnapshotSweepTest() {
        for (int node = 0; node < NODES; node++) {
            node(Change.ADDED, node);
        }
        for (int pod = 0; pod < PODS; pod++) {
            pod(Change.ADDED, pod);
            owner(pod);
        }
        // Makes counts change as pods and nodes are removed.
        PodPlan plan = compiler.compile(incoming(), SpreadDefaults.NONE);
        compiler.build(plan);
        changes.snapshot.begin(ObjectKind.ALL);
    }

    @AfterEach
    void validate() {
        validator.validate();
    }

    @Test
    void everythingThatWasNotNamedGoes_inManySlices_whenTimeIsAlwaysUp() {
        node(Change.ADDED, 3);
        pod(Change.ADDED, 50);
        owner(60);
        int removed = 0;
        int slices = 0;
        while (!Lists.underWay(changes.snapshot).isEmpty()) {
            removed += sweepAsLittleAsPossible();
            slices++;
            validator.validate();
        }
        assertEquals(NODES + PODS + PODS - 3, removed);
        assertTrue(slices > PODS);
        assertEquals(List.of(1, 1, 1), List.of(store.nodes.size(), store.pods.size(), store.owners.size()));
    }

    @Test
    void everythingThatWasNotNamedGoes_inOneSlice_whenThereIsTime() {
        assertEquals(NODES + PODS + PODS, changes.snapshot.sweep(Lists.of(ObjectKind.ALL), () -> false));
        assertEquals(Set.of(), Lists.underWay(changes.snapshot));
    }

    @Test
    void podStays_whenItIsNamedBeforeTheSweepReachesIt() {
        sweepAsLittleAsPossible();
        pod(Change.MODIFIED, PODS - 1);
        sweepToTheEnd();
        assertEquals(1, store.pods.size());
    }

    @Test
    void podComesBack_whenItIsNamedAfterTheSweepHasRemovedIt() {
        sweepAsLittleAsPossible();
        assertTrue(store.pods.size() < PODS);
        pod(Change.ADDED, 0);
        sweepToTheEnd();
        assertEquals(1, store.pods.size());
    }

    @Test
    void newPodStays_whateverRowItGets() {
        sweepAsLittleAsPossible();
        int free = PODS - store.pods.size();
        for (int pod = 0; pod <= free; pod++) {
            pod(Change.ADDED, PODS + pod);
            sweepAsLittleAsPossible();
        }
        sweepToTheEnd();
        assertEquals(free + 1, store.pods.size());
    }

    @Test
    void podThatIsDeletedMeanwhile_isNotRemovedTwice() {
        int removed = sweepAsLittleAsPossible();
        pod(Change.DELETED, PODS - 1);
        removed += sweepToTheEnd();
        assertEquals(NODES + PODS + PODS - 1, removed);
    }

    @Test
    void assumedPodStays_whenItIsAssumedMeanwhile() {
        sweepAsLittleAsPossible();
        changes.assumptions.assume(record(PODS), "node-1", AssumedPods.FOR_EVER);
        sweepToTheEnd();
        assertEquals(1, store.pods.size());
        assertEquals(1, store.podsOnUnknownNodes());
    }

    @Test
    void nodeStays_andItsPodsCount_whenItIsNamedDuringTheSweep() {
        sweepAsLittleAsPossible();
        pod(Change.MODIFIED, PODS - 1);
        node(Change.MODIFIED, (PODS - 1) % NODES);
        sweepToTheEnd();
        assertEquals(List.of(1, 1), List.of(store.nodes.size(), store.countedPods()));
    }

    @Test
    void nodesStay_whenTheyComeDuringTheSweepOfNodes() {
        int removed = 0;
        while (store.nodes.size() == NODES) {
            removed += sweepAsLittleAsPossible();
        }
        node(Change.ADDED, NODES);
        node(Change.ADDED, NODES - 1);
        removed += sweepToTheEnd();
        assertEquals(NODES + PODS + PODS, removed);
        assertEquals(2, store.nodes.size());
    }

    @Test
    void nothingMoreIsRemoved_whenTheSweepIsBrokenOff() {
        sweepAsLittleAsPossible();
        int left = store.pods.size();
        changes.snapshot.abandon(ObjectKind.ALL);
        assertThrows(IllegalStateException.class, this::sweepAsLittleAsPossible);
        assertEquals(left, store.pods.size());
    }

    @Test
    void sweepBeginsAgain_whenAnotherSnapshotBegins() {
        sweepAsLittleAsPossible();
        pod(Change.ADDED, PODS - 1);
        changes.snapshot.begin(ObjectKind.ALL);
        pod(Change.ADDED, PODS - 2);
        sweepToTheEnd();
        assertEquals(1, store.pods.size());
        assertEquals(0, store.countedPods());
        assertEquals(1, store.podsOnUnknownNodes());
    }

    private int sweepAsLittleAsPossible() {
        return changes.snapshot.sweep(Lists.of(ObjectKind.ALL), () -> true);
    }

    private int sweepToTheEnd() {
        int removed = 0;
        while (!Lists.underWay(changes.snapshot).isEmpty()) {
            removed += sweepAsLittleAsPossible();
        }
        return removed;
    }

    private static IncomingPod incoming() {
        SpreadConstraint byZone =
                new SpreadConstraint(1, World.ZONE, true, PodSelector.ofLabels(World.WEB), List.of(), 0, true, false);
        return new IncomingPod(World.NAMESPACE, World.WEB, Map.of(), null, List.of(), List.of(byZone), null);
    }

    private void node(Change change, int node) {
        Map<String, String> labels = Map.of(World.ZONE, "zone-" + node % 3);
        changes.nodes.apply(change, new NodeObject("node-" + node, "node-uid-" + node, 0, labels, List.of(), false));
    }

    private void owner(int owner) {
        changes.owners.apply(
                Change.ADDED,
                new OwnerObject(
                        ObjectKind.SERVICE,
                        World.NAMESPACE,
                        "service-" + owner,
                        "owner-uid-" + owner,
                        0,
                        PodSelector.ofLabels(Map.of("app", "web"))));
    }

    private void pod(Change change, int pod) {
        changes.pods.apply(change, record(pod));
    }

    private static PodRecord record(int pod) {
        return PodRecord.of(new PodObject(
                World.NAMESPACE, "pod-" + pod, "pod-uid-" + pod, 0, World.WEB, "node-" + pod % NODES, false, false));
    }
}
