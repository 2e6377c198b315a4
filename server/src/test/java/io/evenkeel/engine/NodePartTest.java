package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts over nodes that are built in slices, while nodes come, change and go in between. */
final class NodePartTest {
    private static final int NODES = 300;
    private static final String RACK = "rack";
    private static final Taint DEDICATED = new Taint("dedicated", "web", Taint.NO_SCHEDULE);
    private static final Toleration TOLERATES = new Toleration("dedicated", "Exists", "", "");

    private final ClusterStore store = new ClusterStore(64, 1000);
    private final IndexValidator validator = new IndexValidator(store);
    private final PlanCompiler compiler = new PlanCompiler(store);
    private long version;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void partsAreAsTheNodesAre_whateverHappensToThemBetweenSlices(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int node = 0; node < NODES; node++) {
            put(node, random);
        }
        IncomingPod pod = incoming();
        List<NodePart> parts = compiler.takeParts(pod, DefaultConstraints.NONE);
        int slices = 0;
        while (!store.index.build(parts, () -> true)) {
            slices++;
            for (int event = 0; event < 6; event++) {
                // Beyond those that were there at first, too.
                int node = random.nextInt(NODES + NODES / 4);
                if (random.nextInt(3) == 0) {
                    remove(node);
                } else {
                    put(node, random);
                }
            }
            validator.validate();
        }
        assertTrue(slices > parts.size(), "the parts must be built in several slices each");
        validator.validate();
        PodPlan plan = compiler.compile(pod, DefaultConstraints.NONE);
        compiler.release(parts);
        validator.validate();
        compiler.release(plan);
        assertFalse(store.index.topologies().iterator().hasNext(), "all parts must be let go");
    }

    @Test
    void topologyTurnsToTheLayoutThatSuitsIt_whileItIsBuilt() {
        SplittableRandom random = new SplittableRandom(1);
        for (int node = 0; node < NODES; node++) {
            put(node, random);
        }
        Topology byHostname = store.index.takeTopology(Topology.Kind.LABEL, World.HOSTNAME);
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
        List<NodePart> parts = compiler.takeParts(incoming(), DefaultConstraints.NONE);
        assertFalse(store.index.build(parts, () -> true));
        PodPlan plan = compiler.compile(incoming(), DefaultConstraints.NONE);
        assertTrue(parts.stream().allMatch(NodePart::isBuilt));
        validator.validate();
        compiler.release(parts);
        compiler.release(plan);
    }

    private static IncomingPod incoming() {
        LabelSelector web = LabelSelector.ofLabels(World.WEB);
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
        List<Taint> taints = random.nextInt(4) == 0
                ? List.of(random.nextBoolean() ? DEDICATED : new Taint("other", "", Taint.NO_SCHEDULE))
                : List.of();
        store.apply(
                Change.ADDED,
                new NodeObject("node-" + node, "node-uid-" + node, ++version, labels, taints, random.nextInt(9) == 0));
    }

    private void remove(int node) {
        store.apply(
                Change.DELETED,
                new NodeObject("node-" + node, "node-uid-" + node, ++version, Map.of(), List.of(), false));
    }
}
