package io.evenkeel.loadtest.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Taint;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ClusterGeneratorTest {
    private static final ClusterShape SMALL = new ClusterShape(7, 300, 4_000, 3, 2, WorkloadSizes.MIXED);

    @Test
    void objects_areTheSameByte_whenShapesAreEqual() {
        assertEquals(bytes(SMALL), bytes(new ClusterShape(7, 300, 4_000, 3, 2, WorkloadSizes.MIXED)));
    }

    @Test
    void objects_differ_whenSeedsDiffer() {
        assertNotEquals(bytes(SMALL), bytes(new ClusterShape(8, 300, 4_000, 3, 2, WorkloadSizes.MIXED)));
    }

    @Test
    void pod_isTheOneHandedOut_whenAskedForByNumber() {
        ClusterGenerator generator = new ClusterGenerator(SMALL);
        List<Pod> pods = pods(objects(generator));
        for (int number = pods.size() - 1; number >= 0; number -= 7) {
            assertEquals(pods.get(number), generator.pod(number));
        }
    }

    @Test
    void pods_haveNamesOfTheirOwn_inALargeWorkload() {
        ClusterGenerator generator = new ClusterGenerator(new ClusterShape(1, 5_000, 150_000, 3, 2, WorkloadSizes.BIG));
        Set<String> names = new HashSet<>();
        for (int number = 0; number < generator.shape().pods(); number++) {
            ObjectMeta meta = generator.pod(number).getMetadata();
            assertTrue(names.add(meta.getNamespace() + "/" + meta.getName()), () -> "twice: " + meta.getName());
        }
    }

    @Test
    void objects_haveNamesUidsAndVersionsOfTheirOwn() {
        ClusterGenerator generator = new ClusterGenerator(SMALL);
        List<ClusterObject> objects = objects(generator);
        assertEquals(generator.objectCount(), objects.size());
        Set<String> uids = new HashSet<>();
        Set<String> names = new HashSet<>();
        long version = 0;
        for (ClusterObject object : objects) {
            ObjectMeta meta = KindMessages.metadata(object);
            assertTrue(uids.add(meta.getUid()), () -> "twice: " + meta.getUid());
            assertTrue(
                    names.add(object.getObjectCase() + " " + meta.getNamespace() + "/" + meta.getName()),
                    () -> "twice: " + meta.getName());
            assertEquals(++version, Long.parseLong(meta.getResourceVersion()));
        }
    }

    @Test
    void everyPod_isOnANodeThatItMayEnter() {
        List<ClusterObject> objects = objects(new ClusterGenerator(SMALL));
        Map<String, Node> nodes = nodes(objects);
        for (Pod pod : pods(objects)) {
            Node node = nodeOf(pod, nodes);
            assertFalse(node.getSpec().getUnschedulable());
            for (Taint taint : node.getSpec().getTaintsList()) {
                assertTrue(
                        pod.getSpec().getTolerationsList().stream()
                                .anyMatch(toleration -> toleration.getKey().equals(taint.getKey())),
                        () -> pod.getMetadata().getName() + " does not tolerate " + taint);
            }
        }
    }

    @Test
    void workloads_askForEverySpread() {
        Set<Spread> asked = EnumSet.noneOf(Spread.class);
        for (Workload workload : new ClusterGenerator(SMALL).workloads()) {
            asked.add(workload.spread());
            assertEquals("", workload.incomingPod().getSpec().getNodeName());
        }
        assertEquals(EnumSet.copyOf(Spread.OF_WORKLOADS), asked);
    }

    @Test
    void pods_lieNearlyEvenlyOverZones_butNotQuite() {
        List<ClusterObject> objects = objects(new ClusterGenerator(SMALL));
        Map<String, Node> nodes = nodes(objects);
        Map<String, Map<String, Integer>> zonesByApp = new TreeMap<>();
        for (Pod pod : pods(objects)) {
            String zone = nodeOf(pod, nodes).getMetadata().getLabelsOrThrow(Labels.ZONE);
            zonesByApp
                    .computeIfAbsent(pod.getMetadata().getLabelsOrThrow("app"), app -> new TreeMap<>())
                    .merge(zone, 1, Integer::sum);
        }
        int uneven = 0;
        for (Map.Entry<String, Map<String, Integer>> app : zonesByApp.entrySet()) {
            int most = app.getValue().values().stream()
                    .mapToInt(count -> count)
                    .max()
                    .orElseThrow();
            int least = app.getValue().size() < SMALL.zones()
                    ? 0
                    : app.getValue().values().stream()
                            .mapToInt(count -> count)
                            .min()
                            .orElseThrow();
            int pods = app.getValue().values().stream().mapToInt(count -> count).sum();
            assertTrue(most - least <= 3 + pods / 20, () -> app + " is too uneven");
            uneven += most - least > 1 ? 1 : 0;
        }
        assertTrue(uneven > 0, "no workload is uneven");
    }

    @Test
    void workloads_areEqual_whenSizesAreMany() {
        ClusterGenerator generator = new ClusterGenerator(new ClusterShape(1, 100, 2_600, 3, 1, WorkloadSizes.MANY));
        assertEquals(
                List.of(500, 500, 500, 500, 500, 100),
                generator.workloads().stream().map(Workload::pods).toList());
    }

    @Test
    void workloads_haveThirtyPodsANode_whenSizesAreBig() {
        ClusterGenerator generator = new ClusterGenerator(new ClusterShape(1, 100, 6_000, 3, 1, WorkloadSizes.BIG));
        assertEquals(
                List.of(3_000, 3_000),
                generator.workloads().stream().map(Workload::pods).toList());
    }

    @Test
    void replicas_areOnDifferentHosts_whenThereAreHostsEnough() {
        ClusterGenerator generator = new ClusterGenerator(new ClusterShape(3, 3_000, 500, 3, 1, WorkloadSizes.MANY));
        Map<String, Integer> byHost = new HashMap<>();
        for (int number = 0; number < 500; number++) {
            byHost.merge(generator.pod(number).getSpec().getNodeName(), 1, Integer::sum);
        }
        long alone = byHost.values().stream().filter(count -> count == 1).count();
        assertTrue(alone > 450, () -> alone + " of 500 pods are alone on their host");
    }

    @Test
    void generator_makesWhatItCan_whenThereIsOneNodeAndNoPod() {
        List<ClusterObject> objects = objects(new ClusterGenerator(ClusterShape.of(1, 1, 0)));
        assertEquals(1, objects.size());
        assertTrue(objects.get(0).hasNode());
    }

    @Test
    void shape_isRefused_whenItHasMoreZonesThanNodes() {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> new ClusterShape(1, 2, 10, 3, 1, WorkloadSizes.MIXED));
        assertEquals("zones must be from 1 to the nodes, was 3", refused.getMessage());
    }

    private static List<ClusterObject> objects(ClusterGenerator generator) {
        List<ClusterObject> objects = new ArrayList<>();
        for (Iterator<ClusterObject> each = generator.objects(); each.hasNext(); ) {
            objects.add(each.next());
        }
        return objects;
    }

    private static List<ByteString> bytes(ClusterShape shape) {
        return objects(new ClusterGenerator(shape)).stream()
                .map(ClusterObject::toByteString)
                .toList();
    }

    private static List<Pod> pods(List<ClusterObject> objects) {
        return objects.stream()
                .filter(ClusterObject::hasPod)
                .map(ClusterObject::getPod)
                .toList();
    }

    private static Map<String, Node> nodes(List<ClusterObject> objects) {
        Map<String, Node> nodes = new HashMap<>();
        for (ClusterObject object : objects) {
            if (object.hasNode()) {
                nodes.put(object.getNode().getMetadata().getName(), object.getNode());
            }
        }
        return nodes;
    }

    private static Node nodeOf(Pod pod, Map<String, Node> nodes) {
        return Objects.requireNonNull(nodes.get(pod.getSpec().getNodeName()), () -> "no node for " + pod);
    }
}
