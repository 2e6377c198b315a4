package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.StringValue;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerPort;
import io.evenkeel.v1.ContainerStatus;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.ResourceRequirements;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Compares the requests of random pods, and what random nodes have, with {@link RawRequests}. */
final class RequestsRecountTest {
    private static final int OBJECTS = 3_000;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final List<String> RESOURCES = List.of(
            "cpu",
            "cpu",
            "memory",
            "memory",
            "ephemeral-storage",
            "hugepages-2Mi",
            "attachable-volumes-aws-ebs",
            "example.com/gpu",
            "kubernetes.io/odd",
            "pods",
            "storage");
    private static final List<String> QUANTITIES = List.of(
            "0",
            "1",
            "2",
            "250m",
            "1500u",
            "1n",
            "0.5",
            ".25",
            "1.0005",
            "1e3",
            "2E1",
            "1500000e-3",
            "1k",
            "3M",
            "2G",
            "1T",
            "128Ki",
            "64Mi",
            "1.5Gi",
            "0.1Ti",
            "9223372036854775807",
            "8Ei");

    private final PodScanner scanner = new PodScanner(new TemplateCache());
    private final IncomingPodTranslator incoming =
            new IncomingPodTranslator(new PodLimits(Integer.MAX_VALUE, Integer.MAX_VALUE));
    private final Random random = new Random(1);

    @Test
    void requests_areThoseOfARecount() throws Exception {
        Set<PodRequests> seen = new HashSet<>();
        int resizing = 0;
        for (int i = 0; i < OBJECTS; i++) {
            Pod pod = pod();
            JsonNode json = JSON.readTree(JsonFormat.printer().print(pod));
            PodRequests stored = RawRequests.ofStored(json);
            PodRequests asked = RawRequests.ofIncoming(json);
            assertEquals(asked, incoming.translate(pod).requests(), json::toPrettyString);
            assertEquals(
                    RawRequests.scored(json),
                    ScoredPodTranslator.translate(pod.getSpec(), PodLimits.DEFAULT)
                            .nonZero(),
                    json::toPrettyString);
            assertEquals(stored, PodScanner.record(pod, Change.ADDED).requests, json::toPrettyString);
            assertEquals(stored, scanned(pod), json::toPrettyString);
            seen.add(asked);
            resizing += asked.equals(stored.withNonZero(PodRequests.NonZero.NOTHING)) ? 0 : 1;
        }
        assertTrue(seen.size() > OBJECTS / 2, "different requests");
        assertTrue(resizing > OBJECTS / 10, "pods whose status matters");
    }

    @Test
    void allocatable_isThatOfARecount() throws Exception {
        for (int i = 0; i < OBJECTS; i++) {
            Node.Builder node = Node.newBuilder();
            node.getMetadataBuilder().setName("n").setUid("n");
            node.getStatusBuilder().putAllAllocatable(amounts());
            JsonNode json = JSON.readTree(JsonFormat.printer().print(node));
            assertEquals(
                    RawRequests.allocatable(json),
                    StoredObjectTranslator.node(node.build(), Change.ADDED).allocatable(),
                    json::toPrettyString);
        }
    }

    /** As a feed reads it, with requests that are shared between pods. */
    private PodRequests scanned(Pod pod) throws Exception {
        byte[] bytes = pod.toByteArray();
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        scanner.begin(wire);
        scanner.scan(wire);
        return scanner.finish(Change.ADDED).requests;
    }

    private Pod pod() {
        PodSpec.Builder spec = PodSpec.newBuilder().setNodeName("n").putAllOverhead(rarely(amounts()));
        PodStatus.Builder status = PodStatus.newBuilder();
        for (String name : NAMES.subList(0, random.nextInt(NAMES.size() + 1))) {
            spec.addContainers(container(name));
        }
        for (String name : NAMES.subList(0, random.nextInt(NAMES.size() + 1))) {
            spec.addInitContainers(
                    container("init-" + name).toBuilder().setRestartPolicy(pick(List.of("Always", "", "Never"))));
        }
        if (random.nextInt(3) == 0) {
            spec.setResources(requirements());
        }
        if (random.nextInt(2) == 0) {
            for (String name : NAMES) {
                if (random.nextInt(2) == 0) {
                    status.addContainerStatuses(status(name));
                    status.addInitContainerStatuses(status("init-" + name));
                }
            }
        }
        if (random.nextInt(4) == 0) {
            status.setResources(requirements()).putAllAllocatedResources(amounts());
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            status.addConditions(PodCondition.newBuilder()
                    .setType(pick(List.of("PodResizePending", "Ready")))
                    .setReason(pick(List.of("Infeasible", "Deferred"))));
        }
        Pod.Builder pod = Pod.newBuilder().setSpec(spec).setStatus(status);
        pod.getMetadataBuilder().setName("p").setNamespace("shop").setUid("p");
        return pod.build();
    }

    private Container container(String name) {
        Container.Builder container = Container.newBuilder().setName(name).setResources(requirements());
        while (random.nextInt(4) == 0) {
            container.addPorts(ContainerPort.newBuilder()
                    .setHostPort(pick(List.of(0, 80, 443)))
                    .setContainerPort(8080)
                    .setProtocol(pick(List.of("", "TCP", "UDP")))
                    .setHostIp(pick(List.of("", "0.0.0.0", "::", "10.0.0.1"))));
        }
        return container.build();
    }

    private ContainerStatus status(String name) {
        ContainerStatus.Builder status =
                ContainerStatus.newBuilder().setName(name).putAllAllocatedResources(amounts());
        if (random.nextInt(3) > 0) {
            status.setResources(requirements());
        }
        return status.build();
    }

    private ResourceRequirements requirements() {
        return ResourceRequirements.newBuilder()
                .putAllRequests(amounts())
                .putAllLimits(rarely(amounts()))
                .build();
    }

    private Map<String, StringValue> amounts() {
        Map<String, StringValue> amounts = new TreeMap<>();
        while (random.nextInt(3) > 0) {
            amounts.put(pick(RESOURCES), StringValue.of(pick(QUANTITIES)));
        }
        return amounts;
    }

    private Map<String, StringValue> rarely(Map<String, StringValue> amounts) {
        return random.nextInt(4) == 0 ? amounts : new HashMap<>();
    }

    private <T> T pick(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }
}
