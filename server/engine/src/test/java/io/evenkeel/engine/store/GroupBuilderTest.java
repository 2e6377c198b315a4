package io.evenkeel.engine.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.Uid;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.ChangeGenerator;
import io.evenkeel.engine.script.QueryGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Universe;
import io.evenkeel.engine.validator.PlanMaker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the build of groups. Slices are small, so that small groups are built like large ones, with events in between.
 */
final class GroupBuilderTest {
    private static final int VALIDATED = 20;
    private static final List<String> ZONES = List.of("a", "b", "c");

    private final ClusterStore store = new ClusterStore(4, 1 << 10);
    private final ClusterChanges changes = new ClusterChanges(store);
    private final PlanMaker compiler = new PlanMaker(store);
    private final IndexValidator validator = new IndexValidator(store);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void groupsUnderBuild_areRightAfterEachSliceAndEvent(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        Universe universe = new Universe(dice);
        ChangeGenerator cluster = new ChangeGenerator(dice, universe);
        QueryGenerator queries = new QueryGenerator(dice, universe);
        GroupBuilder builder = new GroupBuilder(store, dice.between(1, 3));
        List<PodPlan> plans = new ArrayList<>();
        int whileScanned = 0;
        for (int step = 0; step < 2_000; step++) {
            apply(cluster.next());
            if (plans.size() < 3) {
                ScriptedQuery query = queries.next(cluster.nodeNames(), cluster.pods());
                plans.add(compiler.compile(query.pod(), query.defaults()));
            }
            PodPlan plan = dice.pick(plans);
            boolean ends = dice.chance(0.05);
            boolean begunOrDone = false;
            for (SpreadGroup group : plan.groups()) {
                boolean was = group.isBuilt();
                boolean scanned = group.isScanned();
                builder.advance(group);
                begunOrDone |= was != group.isBuilt() || scanned != group.isScanned();
                whileScanned += group.isScanned() ? 1 : 0;
            }
            // A wrong count stays wrong as long as its group exists. Validating occasionally, and before the group is
            // dropped, does not miss it.
            if (ends || begunOrDone || step % VALIDATED == 0) {
                validator.validate();
            }
            if (ends) {
                plans.remove(plan);
                release(plan, cluster);
            }
        }
        assertTrue(whileScanned > 20, "events must have come while pods were scanned, did " + whileScanned + " times");
        for (PodPlan plan : plans) {
            build(plan, builder);
        }
        validator.validate();
    }

    @Test
    void largeClasses_areScannedTogether() {
        addNodes(6);
        for (int pod = 0; pod < 64; pod++) {
            putPod(pod, Map.of("app", "web", "revision", Integer.toString(pod % 4)), pod % 6);
        }
        GroupBuilder builder = new GroupBuilder(store, 4);
        PodPlan plan = compiler.compile(webPod(true), SpreadDefaults.NONE);
        SpreadGroup byNode = plan.groupsToBuild().get(0);
        int slices = 1;
        while (!builder.advance(byNode)) {
            slices++;
        }
        assertEquals(1 + 64 / 16, slices, "one to find the first large class, and one for each 16 pods");
        assertTrue(builder.advance(plan.groupsToBuild().get(1)), "zones are summed from nodes at once");
        validator.validate();
        assertEquals(List.of(22, 21, 21), countsByZone(plan));
    }

    @Test
    void largeClass_isCountedByItsList_ifOtherPodsAreFarMore() {
        addNodes(6);
        for (int pod = 0; pod < 256; pod++) {
            putPod(pod, Map.of("app", pod < 12 ? "web" : "other"), pod % 6);
        }
        GroupBuilder builder = new GroupBuilder(store, 4);
        PodPlan plan = compiler.compile(webPod(true), SpreadDefaults.NONE);
        SpreadGroup byNode = plan.groupsToBuild().get(0);
        do {
            assertTrue(!byNode.isScanned(), "12 pods of 256 must not be looked for among all");
        } while (!builder.advance(byNode));
        build(plan, builder);
        validator.validate();
        assertEquals(List.of(4, 4, 4), countsByZone(plan));
    }

    /** The second scan reuses what the first one kept, unless too many pods have moved for that to pay off. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 40})
    void podsThatMoveBetweenLooks_areSeenIfTheyAre(int moves) {
        addNodes(6);
        for (int pod = 0; pod < 64; pod++) {
            putPod(pod, Map.of("app", "web", "tier", "front"), pod % 6);
        }
        GroupBuilder builder = new GroupBuilder(store, 4);
        build(compiler.compile(webPod(true), SpreadDefaults.NONE), builder);
        validator.validate();
        for (int pod = 0; pod < moves; pod++) {
            changes.pods.apply(Change.DELETED, pod(pod, Map.of(), 0));
            putPod(100 + pod, Map.of("app", "web", "tier", "front"), 0);
        }
        putPod(1_000, Map.of("app", "web", "tier", "front"), 5);
        PodPlan second = compiler.compile(incoming(Map.of("tier", "front"), true), SpreadDefaults.NONE);
        build(second, builder);
        validator.validate();
        assertEquals(
                65, countsByZone(second).stream().mapToInt(Integer::intValue).sum());
    }

    @Test
    void nodesAndPodsThatMoveBetweenSlices_areCountedOnce() {
        addNodes(6);
        for (int pod = 0; pod < 64; pod++) {
            putPod(pod, Map.of("app", "web"), pod % 6);
        }
        for (boolean hard : new boolean[] {true, false}) {
            PodPlan plan = compiler.compile(webPod(hard), SpreadDefaults.NONE);
            GroupBuilder builder = new GroupBuilder(store, 4);
            SpreadGroup byNode = plan.groupsToBuild().get(0);
            builder.advance(byNode);
            builder.advance(byNode);
            assertTrue(byNode.isScanned() && byNode.scannedPods() == 16, "under way");
            node(Change.MODIFIED, 0, "c");
            node(Change.DELETED, 1, "b");
            putPod(3, Map.of("app", "other"), 3);
            putPod(40, Map.of("app", "web"), 2);
            putPod(64, Map.of("app", "web"), 5);
            validator.validate();
            builder.advance(byNode);
            node(Change.ADDED, 1, "a");
            node(Change.MODIFIED, 0, "a");
            putPod(3, Map.of("app", "web"), 3);
            putPod(40, Map.of("app", "web"), 4);
            changes.pods.apply(Change.DELETED, pod(64, Map.of("app", "web"), 5));
            build(plan, builder);
            validator.validate();
            assertEquals(List.of(33, 10, 21), countsByZone(plan), "node 1 has gone from zone b to a");
            node(Change.MODIFIED, 1, "b");
            compiler.release(plan);
        }
    }

    /** Applies events between one part and the next. */
    private void release(PodPlan plan, ChangeGenerator cluster) {
        for (Runnable release : compiler.releases(plan)) {
            release.run();
            apply(cluster.next());
        }
        validator.validate();
    }

    private static void build(PodPlan plan, GroupBuilder builder) {
        for (SpreadGroup group : plan.groupsToBuild()) {
            while (!builder.advance(group)) {
                assertTrue(!group.isBuilt());
            }
        }
    }

    private List<Integer> countsByZone(PodPlan plan) {
        SpreadGroup byZone = plan.groupsToBuild().get(1);
        List<Integer> counts = new ArrayList<>();
        for (String zone : ZONES) {
            int domain = byZone.topology().domainOfValue(store.strings.find(zone));
            counts.add(byZone.counts().get(domain));
        }
        return counts;
    }

    private void apply(Step step) {
        if (step instanceof Step.FromElsewhere elsewhere) {
            store.named.setFromElsewhere(true);
            apply(elsewhere.event());
            store.named.setFromElsewhere(false);
        } else if (step instanceof Step.NodeEvent event) {
            changes.nodes.apply(event.change(), event.node());
        } else if (step instanceof Step.PodEvent event) {
            changes.pods.apply(event.change(), PodRecord.of(event.pod()));
        } else if (step instanceof Step.OwnerEvent event) {
            changes.owners.apply(event.change(), event.owner());
        } else if (step instanceof Step.BeginSnapshot begin) {
            changes.snapshot.begin(begin.kinds());
        } else if (step instanceof Step.EndSnapshot end) {
            changes.snapshot.sweep(end.lists(), () -> false);
        } else if (step instanceof Step.AbandonSnapshot abandon) {
            changes.snapshot.abandon(abandon.kinds());
        } else if (step instanceof Step.Assume assume) {
            changes.assumptions.assume(PodRecord.of(assume.pod()), assume.pod().nodeName(), assume.expiresAt());
        } else if (step instanceof Step.Forget forget) {
            changes.assumptions.forget(Uid.of(forget.uid()));
        } else if (step instanceof Step.Expire expire) {
            changes.assumptions.expire(expire.now(), () -> false);
        }
    }

    private void addNodes(int count) {
        for (int node = 0; node < count; node++) {
            node(Change.ADDED, node, ZONES.get(node % ZONES.size()));
        }
    }

    private void node(Change change, int node, String zone) {
        Map<String, String> labels = Map.of(Universe.HOSTNAME, "node-" + node, Universe.ZONE, zone);
        changes.nodes.apply(change, new NodeObject("node-" + node, "node-uid-" + node, 0, labels, List.of(), false));
    }

    private void putPod(int pod, Map<String, String> labels, int node) {
        changes.pods.apply(Change.ADDED, pod(pod, labels, node));
    }

    private static PodRecord pod(int pod, Map<String, String> labels, int node) {
        return PodRecord.of(
                new PodObject("shop", "pod-" + pod, "pod-uid-" + pod, 0, labels, "node-" + node, false, false));
    }

    private static IncomingPod webPod(boolean hard) {
        return incoming(Map.of("app", "web"), hard);
    }

    private static IncomingPod incoming(Map<String, String> selected, boolean hard) {
        PodSelector selector = PodSelector.ofLabels(selected);
        List<SpreadConstraint> constraints = List.of(
                new SpreadConstraint(1, Universe.ZONE, hard, selector, List.of(), 0, true, false),
                new SpreadConstraint(1, Universe.HOSTNAME, hard, selector, List.of(), 0, true, false));
        return new IncomingPod("shop", selected, Map.of(), null, List.of(), constraints, null);
    }
}
