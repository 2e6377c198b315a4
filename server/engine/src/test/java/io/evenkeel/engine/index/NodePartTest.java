package io.evenkeel.engine.index;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.engine.plan.PlanDraft;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.store.ClusterChanges;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.validator.PlanMaker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests parts over nodes that are built in slices, while nodes are added, changed and removed in between. */
final class NodePartTest {
    private static final int NODES = 300;
    private static final String RACK = "rack";
    private static final NodeTaint DEDICATED = new NodeTaint("dedicated", "web", NodeTaint.NO_SCHEDULE);
    private static final TaintToleration TOLERATES = new TaintToleration("dedicated", "Exists", "", "");

    private final ClusterStore store = new ClusterStore(64, 1000);
    private final ClusterChanges changes = new ClusterChanges(store);
    private final IndexValidator validator = new IndexValidator(store);
    private final PlanMaker compiler = new PlanMaker(store);
    private long version;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void partsAreAsTheNodesAre_whateverHappensToThemBetweenSlices(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int node = 0; node < NODES; node++) {
            put(node, random);
        }
        IncomingPod pod = incoming();
        PlanDraft draft = compiler.draft(pod, SpreadDefaults.NONE);
        int slices = 0;
        PodPlan plan = null;
        while (plan == null) {
            if (draft.isToBeBuilt()) {
                slices++;
                draft.build(() -> true);
            } else {
                plan = draft.advance(() -> true);
            }
            for (int event = 0; event < 6; event++) {
                // Also nodes beyond those that existed at first.
                int node = random.nextInt(NODES + NODES / 4);
                if (random.nextInt(3) == 0) {
                    remove(node);
                } else {
                    put(node, random);
                }
            }
            validator.validate();
        }
        assertTrue(slices > 40, "the parts must be built in several slices each, took " + slices);
        compiler.build(plan);
        validator.validate(List.of(plan));
        compiler.release(plan);
        validator.validate(List.of());
        assertFalse(store.index.topologies().iterator().hasNext(), "all parts must be let go");
    }

    @Test
    void topologyTurnsToTheLayoutThatSuitsIt_whileItIsBuilt() {
        SplittableRandom random = new SplittableRandom(1);
        for (int node = 0; node < NODES; node++) {
            put(node, random);
        }
        Topology byHostname = store.index.acquireTopology(Topology.Kind.LABEL, World.HOSTNAME);
        while (!byHostname.isWide()) {
            assertFalse(byHostname.isBuilt());
            store.index.build(byHostname, () -> true);
        }
        assertFalse(byHostname.isBuilt());
        remove(0);
        remove(NODES - 1);
        store.index.build(byHostname, () -> false);
        validator.validate();
        assertTrue(byHostname.isWide());
    }

    @Test
    void partThatAnotherHasBegun_isFinishedAtOnce_whenAPlanNeedsIt() {
        SplittableRandom random = new SplittableRandom(1);
        for (int node = 0; node < NODES; node++) {
            put(node, random);
        }
        PlanDraft draft = compiler.draft(incoming(), SpreadDefaults.NONE);
        assertNull(draft.advance(() -> false));
        draft.build(() -> true);
        assertTrue(draft.isToBeBuilt());
        PodPlan plan = compiler.compile(incoming(), SpreadDefaults.NONE);
        PodPlan slow = compiler.finish(draft);
        validator.validate(List.of(plan, slow));
        compiler.release(plan);
        compiler.release(slow);
        validator.validate(List.of());
    }

    private static IncomingPod incoming() {
        PodSelector web = PodSelector.ofLabels(World.WEB);
        List<SpreadConstraint> constraints = List.of(
                new SpreadConstraint(1, World.ZONE, true, web, List.of(), 0, true, true),
                new SpreadConstraint(1, RACK, true, web, List.of(), 0, true, true),
                new SpreadConstraint(1, World.HOSTNAME, true, web, List.of(), 0, true, true),
                new SpreadConstraint(1, World.HOSTNAME, false, web, List.of(), 0, true, true));
        return new IncomingPod(
                World.NAMESPACE, World.WEB, Map.of("disk", "ssd"), null, List.of(TOLERATES), constraints, null);
    }

    private void put(int node, SplittableRandom random) {
        Map<String, String> labels = new HashMap<>();
        labels.put(World.ZONE, "zone-" + random.nextInt(3));
        if (random.nextInt(8) > 0) {
            labels.put(World.HOSTNAME, "host-" + (random.nextInt(20) == 0 ? 1 : node));
        }
        if (random.nextInt(4) > 0) {
            labels.put(RACK, "rack-" + random.nextInt(100));
        }
        if (random.nextBoolean()) {
            labels.put("disk", "ssd");
        }
        List<NodeTaint> taints = random.nextInt(4) == 0
                ? List.of(random.nextBoolean() ? DEDICATED : new NodeTaint("other", "", NodeTaint.NO_SCHEDULE))
                : List.of();
        changes.nodes.apply(
                Change.ADDED,
                new NodeObject("node-" + node, "node-uid-" + node, ++version, labels, taints, random.nextInt(9) == 0));
    }

    private void remove(int node) {
        changes.nodes.apply(
                Change.DELETED,
                new NodeObject("node-" + node, "node-uid-" + node, ++version, Map.of(), List.of(), false));
    }
}
