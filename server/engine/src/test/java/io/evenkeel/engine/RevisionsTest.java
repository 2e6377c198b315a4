package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.cluster.OwnerTable;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.Lists;
import io.evenkeel.engine.script.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that every change that a reader could see makes a revision, and that listeners are called. */
final class RevisionsTest {
    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());

    @AfterEach
    void index_isWhatARecountSays() {
        IndexValidator.validate(engine);
    }

    @Test
    void listenersAreReported_whenABatchThrowsHalfWay() {
        List<Long> told = new ArrayList<>();
        engine.onRevision(told::add);
        RuntimeException failure = new IllegalStateException("half-way");
        assertEquals(
                failure,
                assertThrows(
                        IllegalStateException.class,
                        () -> engine.write(writer -> {
                            writer.apply(Change.ADDED, node("a", "uid-a"));
                            throw failure;
                        })));
        assertEquals(List.of(engine.revision()), told);
        assertThrows(
                IllegalStateException.class,
                () -> engine.write(writer -> {
                    throw failure;
                }));
        assertEquals(1, told.size());
    }

    @Test
    void nodeRenamedOntoAnothersName_makesARevision_thoughThatNodeIsAsItWas() {
        engine.write(writer -> {
            writer.apply(Change.ADDED, node("a", "uid-a"));
            writer.apply(Change.ADDED, node("b", "uid-b"));
        });
        assertMoves(writer -> assertTrue(writer.apply(Change.MODIFIED, node("a", "uid-b"))));
        assertEquals(1, engine.status().nodes());
    }

    @Test
    void sweepThatFailsHalfWay_makesARevisionOfWhatItRemoved() {
        boolean[] fails = new boolean[1];
        SpreadEngine failing = new SpreadEngine(
                EngineOptions.defaults(),
                System::nanoTime,
                Capacity.LARGEST,
                new Slices(
                        () -> () -> {
                            if (fails[0]) {
                                throw new StackOverflowError("half-way");
                            }
                            return false;
                        },
                        Slices.PODS));
        failing.write(writer -> {
            writer.apply(Change.ADDED, node("a", "uid-a"));
            writer.beginSnapshot(ObjectKind.ALL);
        });
        List<Long> told = new ArrayList<>();
        failing.onRevision(told::add);
        fails[0] = true;
        while (failing.status().nodes() > 0) {
            assertThrows(
                    StackOverflowError.class,
                    () -> failing.write(writer -> writer.sweepSnapshot(Lists.of(ObjectKind.ALL))));
        }
        assertEquals(failing.revision(), told.get(told.size() - 1));
        IndexValidator.validate(failing);
    }

    @Test
    void snapshotThatChangesNothing_leavesTheRevision() {
        assertStays(writer -> writer.beginSnapshot(ObjectKind.ALL));
        assertStays(writer -> writer.abandonSnapshot(ObjectKind.ALL));
        assertStays(writer -> {
            writer.beginSnapshot(ObjectKind.ALL);
            while (writer.isSnapshotInProgress(ObjectKind.ALL)) {
                writer.sweepSnapshot(Lists.of(ObjectKind.ALL));
            }
        });
    }

    @Test
    void ownerRenamedUnderItsUid_leavesNoPlanOfItsOldNameStanding() {
        engine.write(writer -> writer.apply(Change.ADDED, service("shop", "web", "uid", "web")));
        PodPlan shop = planIn("shop");
        assertTrue(engine.isStillValid(shop));
        assertMoves(writer -> assertTrue(writer.apply(Change.MODIFIED, service("bank", "web", "uid", "web"))));
        assertFalse(engine.isStillValid(shop));
        assertFalse(planIn("shop").isConstrained());
        assertTrue(planIn("bank").isConstrained());
        PodPlan bank = planIn("bank");
        assertMoves(writer -> writer.apply(Change.MODIFIED, service("bank", "other", "uid", "web")));
        // Under another name, the service still gives the same selector.
        assertTrue(engine.isStillValid(bank));
    }

    @Test
    void ownerRenamedOntoAnothersName_leavesItsOldNamespacesPlansStale_thoughTheSelectorIsTheSame() {
        engine.write(writer -> {
            writer.apply(Change.ADDED, service("shop", "web", "uid-1", "web"));
            writer.apply(Change.ADDED, service("bank", "web", "uid-2", "web"));
        });
        PodPlan shop = planIn("shop");
        assertMoves(writer -> assertTrue(writer.apply(Change.MODIFIED, service("bank", "web", "uid-1", "web"))));
        assertFalse(engine.isStillValid(shop));
        assertEquals(1, engine.status().owners());
    }

    @Test
    void namespacesWithoutOwners_takeNoMemory() {
        OwnerTable owners = new OwnerTable();
        for (int i = 0; i < 100; i++) {
            owners.put(service("team-" + i, "web", "uid-" + i, "web"));
            assertNotEquals(0, owners.version("team-" + i));
        }
        for (int i = 0; i < 100; i++) {
            owners.put(service("shop", "web-" + i, "uid-" + i, "web"));
        }
        assertEquals(1, owners.namespaces());
        assertEquals(0, owners.version("team-0"));
        for (int i = 0; i < 100; i++) {
            owners.remove("uid-" + i);
        }
        assertEquals(0, owners.namespaces());
    }

    @Test
    void planFromBeforeAnOwner_holdsAgain_onceNoOwnerIsLeft() {
        PodPlan before = planIn("shop");
        engine.write(writer -> writer.apply(Change.ADDED, service("shop", "web", "uid", "web")));
        PodPlan with = planIn("shop");
        assertFalse(engine.isStillValid(before));
        engine.write(writer -> writer.apply(Change.DELETED, service("shop", "web", "uid", "web")));
        assertFalse(engine.isStillValid(with));
        engine.write(writer -> writer.apply(Change.ADDED, service("shop", "web", "uid-2", "web")));
        // Another service gives the same selector again, and the plan's counts were kept meanwhile.
        assertTrue(engine.isStillValid(with));
        assertFalse(engine.isStillValid(before));
    }

    private void assertMoves(Consumer<ClusterWriter> change) {
        long before = engine.revision();
        engine.write(change);
        assertNotEquals(before, engine.revision());
    }

    private void assertStays(Consumer<ClusterWriter> change) {
        long before = engine.revision();
        engine.write(change);
        assertEquals(before, engine.revision());
    }

    /** A valid plan. */
    private PodPlan planIn(String namespace) {
        IncomingPod pod = new IncomingPod(namespace, Map.of("app", "web"), Map.of(), null, List.of(), List.of(), null);
        SpreadDefaults defaults = new SpreadDefaults(
                false, List.of(new SpreadConstraint(1, World.ZONE, true, null, List.of(), 0, true, false)), null);
        // An answer replaces a stale plan.
        engine.evaluate(engine.plan(pod, defaults), Question.filter(NodeSubset.ALL), new Answer());
        return engine.plan(pod, defaults);
    }

    private static NodeObject node(String name, String uid) {
        return new NodeObject(name, uid, 0, Map.of(World.ZONE, "z"), List.of(), false);
    }

    private static OwnerObject service(String namespace, String name, String uid, String app) {
        return new OwnerObject(ObjectKind.SERVICE, namespace, name, uid, 0, PodSelector.ofLabels(Map.of("app", app)));
    }
}
