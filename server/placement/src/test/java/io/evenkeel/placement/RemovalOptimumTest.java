package io.evenkeel.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.NodeRemoval;
import io.evenkeel.v1.PlacementRule;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares how many nodes of small random clusters can be removed with the most that are possible in that order, which
 * a constraint solver (CP-SAT) has found. It was free to choose the nodes to skip, the order of each node's pods and
 * their new nodes.
 */
final class RemovalOptimumTest {
    /** One node less than possible is removed, because pods take cpu that later pods need. */
    private static final Set<String> CPU_IS_TAKEN =
            Set.of("revision-76", "sizes-20", "sizes-4", "sizes-46", "sizes-65", "zone-32");

    /** One node less than possible is removed, because pods go to domains that later pods need. */
    private static final Set<String> DOMAIN_IS_TAKEN = Set.of("rack-12", "rack-16");

    private final Set<String> worse = new TreeSet<>();
    private int complete;

    @Test
    void removals_areAllowed_andAsManyAsPossible_inEachThirdCluster() throws IOException {
        List<RecordedRemoval> all = RecordedRemoval.all();
        List<RecordedRemoval> some = IntStream.range(0, all.size())
                .filter(i -> i % 3 == 0)
                .mapToObj(all::get)
                .toList();
        compare(PlacementRule.PLACEMENT_RULE_SPREAD, some);
        Set<String> expected = fewer();
        expected.retainAll(some.stream().map(RecordedRemoval::id).toList());
        assertEquals(expected, worse);
        assertEquals(217, complete);
    }

    @Test
    @Tag("long")
    void removals_areAllowed_andAsManyAsPossible() throws IOException {
        compare(PlacementRule.PLACEMENT_RULE_SPREAD, RecordedRemoval.all());
        assertEquals(fewer(), worse);
        assertEquals(620, complete);
    }

    @Test
    @Tag("long")
    void removals_areAllowed_andAlmostAsManyAsPossible_byTheScoresOfKubeScheduler() throws IOException {
        compare(PlacementRule.PLACEMENT_RULE_STOCK, RecordedRemoval.all());
        assertEquals(16, worse.size());
    }

    private static Set<String> fewer() {
        Set<String> fewer = new TreeSet<>(CPU_IS_TAKEN);
        fewer.addAll(DOMAIN_IS_TAKEN);
        return fewer;
    }

    private void compare(PlacementRule rule, List<RecordedRemoval> removals) {
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            for (RecordedRemoval each : removals) {
                int removed = replay(each, simulate(each, rule, instance));
                assertTrue(removed <= each.most(), each.id());
                assertTrue(removed >= each.most() - 1, each.id());
                if (removed < each.most()) {
                    worse.add(each.id());
                } else if (removed == each.remove().size()) {
                    complete++;
                }
            }
        }
    }

    private static SimulateRemovalResponse simulate(RecordedRemoval recorded, PlacementRule rule, Instance instance) {
        List<ClusterObject> objects = new ArrayList<>();
        recorded.nodes().forEach(node -> objects.add(Messages.object(node)));
        recorded.pods().forEach(pod -> objects.add(Messages.object(pod)));
        instance.clusterState().apply(Messages.apply(objects));
        FutureCall<SimulateRemovalResponse> call = new FutureCall<>(Duration.ofSeconds(30));
        instance.placement()
                .simulateRemoval()
                .handleMessage(
                        SimulateRemovalRequest.newBuilder()
                                .addAllNodes(recorded.remove())
                                .setTogether(true)
                                .setGoneAtOnce(recorded.goneAtOnce())
                                .setRule(rule)
                                .build(),
                        call);
        SimulateRemovalResponse response = call.join();
        instance.clusterState()
                .apply(ApplyRequest.newBuilder()
                        .addAllEvents(objects.stream().map(Messages::deleted).toList())
                        .build());
        return response;
    }

    /** Makes the moves of an answer, each of which must be allowed. Returns how many nodes are removed. */
    private static int replay(RecordedRemoval recorded, SimulateRemovalResponse response) {
        DrainedCluster cluster = new DrainedCluster(recorded.nodes(), recorded.pods());
        int removed = 0;
        for (int i = 0; i < recorded.remove().size(); i++) {
            NodeRemoval removal = response.getRemovals(i);
            if (!removal.getRemovable()) {
                assertEquals(1, removal.getBlockingPodsCount(), recorded.id());
                continue;
            }
            String node = recorded.remove().get(i);
            List<Pod> moving = cluster.empty(node, recorded.goneAtOnce());
            assertEquals(
                    moving.stream().map(pod -> pod.getMetadata().getName()).toList(),
                    removal.getPodsList().stream().map(PodReference::getName).toList(),
                    recorded.id());
            for (int k = 0; k < moving.size(); k++) {
                String to = response.getDestinations(removal.getPodDestinations(k));
                assertEquals("", cluster.place(moving.get(k), to), recorded.id());
            }
            cluster.remove(node);
            removed++;
        }
        return removed;
    }
}
