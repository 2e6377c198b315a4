package io.evenkeel.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ScriptedApiServer;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.ResourceRequirements;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class SmallSchedulerTest {
    private static final String ZONE = "topology.kubernetes.io/zone";

    @SuppressWarnings("NullAway.Init")
    private ScriptedApiServer server;

    @SuppressWarnings("NullAway.Init")
    private SmallScheduler scheduler;

    @SuppressWarnings("NullAway.Init")
    private Thread running;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        server = ScriptedApiServer.start();
        for (String zone : new String[] {"a", "b", "c"}) {
            put(node(zone + "-1", zone, "1"));
            put(node(zone + "-2", zone, "1"));
        }
        scheduler = new SmallScheduler(ClusterAccess.of(server.kubeconfig(directory, "", ""), null), "small");
        running = new Thread(() -> {
            try {
                scheduler.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        running.start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        running.interrupt();
        running.join();
        scheduler.close();
        server.close();
    }

    @Test
    void podsThatNameIt_areSpread_withinTheRoomOfTheNodes() throws InterruptedException {
        put(pod("other", "default-scheduler", "100m"));
        for (int i = 0; i < 18; i++) {
            put(pod("web-" + i, "small", "300m"));
        }
        awaitPods(pod -> isBound(pod) || pod.getMetadata().getName().equals("other"));
        assertEquals(Map.of("a", 6L, "b", 6L, "c", 6L), podsByNodes(1));
        assertTrue(podsByNodes(3).values().stream().allMatch(count -> count == 3), podsByNodes(3)::toString);
    }

    @Test
    void podThatFitsNowhere_waitsForANodeWithRoom() throws InterruptedException {
        put(pod("large", "small", "2"));
        put(pod("web", "small", "300m"));
        awaitPods(pod -> isBound(pod) == pod.getMetadata().getName().equals("web"));
        // One of these is in another zone than the first pod.
        put(node("a-3", "a", "3"));
        put(node("b-3", "b", "3"));
        awaitPods(SmallSchedulerTest::isBound);
        assertTrue(nodeOf("large").endsWith("-3"), nodeOf("large"));
    }

    @Test
    void bindingThatFails_isReverted_andTriedAgain() throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            server.refuseBinding(new ScriptedApiServer.Refusal(500, "{\"message\":\"no\"}", null));
        }
        for (int i = 0; i < 6; i++) {
            put(pod("web-" + i, "small", "900m"));
        }
        awaitPods(SmallSchedulerTest::isBound);
        assertEquals(Map.of("a", 2L, "b", 2L, "c", 2L), podsByNodes(1));
        assertEquals(6, podsByNodes(3).size());
    }

    @Test
    void roomOfPodsThatGo_isGivenToOthers() throws InterruptedException {
        for (int i = 0; i < 6; i++) {
            put(pod("web-" + i, "small", "900m"));
        }
        awaitPods(SmallSchedulerTest::isBound);
        String node = nodeOf("web-0");
        put(pod("next", "small", "900m"));
        server.delete(ObjectKind.POD, "web-0", pod("web-0", "small", "900m").toByteArray());
        awaitPods(SmallSchedulerTest::isBound);
        assertEquals(node, nodeOf("next"));
    }

    /** A pod may be deleted while a node is chosen for it, or while it is bound. */
    @Test
    void podThatIsDeletedWhileItIsTried_isNotTriedAgain() throws InterruptedException {
        WatchedPods pods = new WatchedPods("small");
        byte[] gone = pod("gone", "small", "1").toByteArray();
        pods.put(ObjectKind.POD, gone, 0, gone.length);
        assertEquals("gone", pods.take().getMetadata().getUid());
        pods.deleted(ObjectKind.POD, gone, 0, gone.length);
        pods.tryAgain("gone");
        byte[] next = pod("next", "small", "1").toByteArray();
        pods.put(ObjectKind.POD, next, 0, next.length);
        assertEquals("next", pods.take().getMetadata().getUid());
        pods.tryAgain("next");
        assertEquals("next", pods.take().getMetadata().getUid());
    }

    private static boolean isBound(Pod pod) {
        return !pod.getSpec().getNodeName().isEmpty();
    }

    private String nodeOf(String name) {
        return server.pods().stream()
                .filter(pod -> pod.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getNodeName();
    }

    private void awaitPods(Predicate<Pod> each) throws InterruptedException {
        while (!server.pods().stream().allMatch(each)) {
            Thread.sleep(2);
        }
    }

    /** The number of pods by prefix of the node name: 1 character for zones, 3 for nodes. */
    private Map<String, Long> podsByNodes(int characters) {
        return server.pods().stream()
                .filter(SmallSchedulerTest::isBound)
                .collect(Collectors.groupingBy(
                        pod -> pod.getSpec().getNodeName().substring(0, characters),
                        TreeMap::new,
                        Collectors.counting()));
    }

    private void put(Node node) {
        server.put(ObjectKind.NODE, node.getMetadata().getUid(), version -> {
            Node.Builder next = node.toBuilder();
            next.getMetadataBuilder().setResourceVersion(Long.toString(version));
            return next.build().toByteArray();
        });
    }

    private void put(Pod pod) {
        server.put(ObjectKind.POD, pod.getMetadata().getUid(), version -> {
            Pod.Builder next = pod.toBuilder();
            next.getMetadataBuilder().setResourceVersion(Long.toString(version));
            return next.build().toByteArray();
        });
    }

    private static Node node(String name, String zone, String cpu) {
        return Node.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setName(name)
                        .setUid("node-" + name)
                        .putLabels(ZONE, zone))
                .setStatus(NodeStatus.newBuilder()
                        .putAllocatable("cpu", StringValue.of(cpu))
                        .putAllocatable("memory", StringValue.of("4Gi"))
                        .putAllocatable("pods", StringValue.of("110")))
                .build();
    }

    private static Pod pod(String name, String schedulerName, String cpu) {
        Container container = Container.newBuilder()
                .setName("main")
                .setResources(ResourceRequirements.newBuilder()
                        .putRequests("cpu", StringValue.of(cpu))
                        .putRequests("memory", StringValue.of("100Mi")))
                .build();
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace("shop")
                        .setName(name)
                        .setUid(name)
                        .putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder()
                        .setSchedulerName(schedulerName)
                        .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                                .setMaxSkew(1)
                                .setTopologyKey(ZONE)
                                .setWhenUnsatisfiable("DoNotSchedule")
                                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web")))
                        .addContainers(container))
                .build();
    }
}
