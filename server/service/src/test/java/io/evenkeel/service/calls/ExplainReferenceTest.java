package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.rpc.ErrorInfo;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.manifest.RealCluster;
import io.evenkeel.placement.Messages;
import io.evenkeel.placement.Queries;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.Affinity;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeAffinity;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeSelectorTerm;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.ReferencedPod;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicaSetSpec;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.ReplicationControllerSpec;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import io.evenkeel.v1.StatefulSetSpec;
import io.evenkeel.v1.Toleration;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests explanations of pods of the cluster that requests refer to by name. */
final class ExplainReferenceTest {
    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    /** Over the network and in this process. */
    @Test
    void explain_ofAReference_isThatOfThePodInFull() throws Exception {
        List<Pod> pods = feedRealCluster();
        int placed = 0;
        int defaulted = 0;
        for (Pod pod : pods) {
            PodReference uid = uid(pod.getMetadata().getUid());
            ExplainResponse inFull = explain(ExplainRequest.newBuilder()
                    .setPod(pod)
                    .setOverlay(Overlay.newBuilder().addWithout(uid)));
            placed += inFull.getPlaced() ? 1 : 0;
            defaulted += inFull.getDefaulted() ? 1 : 0;
            assertTrue(inFull.getCandidateCount() > 0);
            for (PodReference reference : List.of(
                    uid,
                    named(pod.getMetadata().getNamespace(), pod.getMetadata().getName()))) {
                ExplainRequest request =
                        ExplainRequest.newBuilder().setPodReference(reference).build();
                assertIsThatOf(pod, inFull, explain(request.toBuilder()));
                assertIsThatOf(
                        pod,
                        inFull,
                        Queries.of(server.server.instance().placement())
                                .prepare(request)
                                .answer());
            }
        }
        assertTrue(placed > 0 && placed < pods.size(), placed + " placed");
        assertTrue(defaulted > 0 && defaulted < pods.size(), defaulted + " by defaults");
    }

    private static void assertIsThatOf(Pod pod, ExplainResponse inFull, ExplainResponse explained) {
        assertEquals(inFull, explained.toBuilder().clearPod().build());
        assertEquals(
                ReferencedPod.newBuilder()
                        .setUid(pod.getMetadata().getUid())
                        .setNamespace(pod.getMetadata().getNamespace())
                        .setName(pod.getMetadata().getName())
                        .setNode(pod.getSpec().getNodeName())
                        .setTerminating(pod.getMetadata().hasDeletionTimestamp())
                        .setFinished(Set.of("Succeeded", "Failed")
                                .contains(pod.getStatus().getPhase()))
                        .build(),
                explained.getPod());
    }

    @Test
    void podThatIsFound_isDescribed_withItsState() {
        server.zones(1, 1);
        Pod.Builder pod = pod("z1-1", "z1").toBuilder();
        pod.getMetadataBuilder().setDeletionTimestamp(Timestamp.getDefaultInstance());
        feed(pod.build());
        assertEquals(
                ReferencedPod.newBuilder()
                        .setUid("z1-1")
                        .setNamespace(NAMESPACE)
                        .setName("z1-1")
                        .setNode("z1")
                        .setTerminating(true)
                        .build(),
                explain(of(uid("z1-1"))).getPod());
        feed(pod.setStatus(PodStatus.newBuilder().setPhase("Failed")).build());
        assertTrue(explain(of(uid("z1-1"))).getPod().getFinished());
        server.clusterState.assume(AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder().setPod(pod("new", "")).setNode("z1"))
                .build());
        ReferencedPod assumed = explain(of(uid("new"))).getPod();
        assertTrue(assumed.getAssumed());
        assertEquals("z1", assumed.getNode());
        assertFalse(
                explain(ExplainRequest.newBuilder().setPod(pod("z1-1", "z1"))).hasPod());
    }

    /** A controller that does not exist yet, given by its selector, has the same effect as an existing one. */
    @ParameterizedTest
    @ValueSource(strings = {"ReplicaSet", "StatefulSet", "ReplicationController"})
    void controllerSelector_standsForTheController(String kind) {
        server.zones(2, 1);
        LabelSelector selector =
                LabelSelector.newBuilder().putMatchLabels("app", "web").build();
        Pod.Builder pod = pod("", "").toBuilder();
        pod.getMetadataBuilder()
                .putLabels("app", "web")
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion(kind.equals("ReplicationController") ? "v1" : "apps/v1")
                        .setKind(kind)
                        .setName("web")
                        .setController(true));
        ExplainRequest.Builder without = ExplainRequest.newBuilder().setPod(pod);
        ExplainRequest.Builder with = without.clone().setControllerSelector(selector);
        assertEquals(0, explain(without).getConstraintsCount());
        ExplainResponse foretold = explain(with);
        assertEquals(2, foretold.getConstraintsCount());
        assertEquals("app=web", foretold.getConstraints(0).getEffectiveSelector());
        for (LabelSelector stored : List.of(
                selector,
                LabelSelector.newBuilder().putMatchLabels("app", "api").build())) {
            server.clusterState.apply(ApplyRequest.newBuilder()
                    .addEvents(added(controller(kind, stored)))
                    .build());
            ExplainResponse known = explain(without);
            assertEquals(
                    stored.equals(selector),
                    known.getConstraintsList().equals(foretold.getConstraintsList()),
                    known::toString);
            assertEquals(foretold.getConstraintsList(), explain(with).getConstraintsList());
        }
    }

    private static ClusterObject controller(String kind, LabelSelector selector) {
        ObjectMeta metadata = ObjectMeta.newBuilder()
                .setNamespace(NAMESPACE)
                .setName("web")
                .setUid("web")
                .build();
        return switch (kind) {
            case "ReplicaSet" ->
                ClusterObject.newBuilder()
                        .setReplicaSet(ReplicaSet.newBuilder()
                                .setMetadata(metadata)
                                .setSpec(ReplicaSetSpec.newBuilder().setSelector(selector)))
                        .build();
            case "StatefulSet" ->
                ClusterObject.newBuilder()
                        .setStatefulSet(StatefulSet.newBuilder()
                                .setMetadata(metadata)
                                .setSpec(StatefulSetSpec.newBuilder().setSelector(selector)))
                        .build();
            default ->
                ClusterObject.newBuilder()
                        .setReplicationController(ReplicationController.newBuilder()
                                .setMetadata(metadata)
                                .setSpec(ReplicationControllerSpec.newBuilder()
                                        .putAllSelector(selector.getMatchLabelsMap())))
                        .build();
        };
    }

    @Test
    void wrongControllerSelector_isNamedByItsPath() {
        server.zones(1, 1);
        LabelSelector byExpression = LabelSelector.newBuilder()
                .addMatchExpressions(
                        LabelSelectorRequirement.newBuilder().setKey("app").setOperator("Exists"))
                .build();
        TestServer.assertRefused(
                "controllerSelector", () -> explain(of(uid("z1-1")).setControllerSelector(byExpression)));
        ExplainRequest.Builder request = ExplainRequest.newBuilder().setPod(pod("", ""));
        TestServer.assertRefused(
                "controllerSelector", () -> explain(request.clone().setControllerSelector(byExpression)));
        request.getPodBuilder()
                .getMetadataBuilder()
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("v1")
                        .setKind("ReplicationController")
                        .setName("web")
                        .setController(true));
        TestServer.assertRefused(
                "controllerSelector.matchExpressions",
                () -> explain(request.clone().setControllerSelector(byExpression)));
        TestServer.assertRefused(
                "controllerSelector.matchLabels",
                () -> explain(request.clone()
                        .setControllerSelector(LabelSelector.newBuilder().putMatchLabels("a b", ""))));
    }

    @Test
    void templates_areAsManyAsWorkloads() throws Exception {
        Map<String, Set<ByteString>> templatesOfOwner = new TreeMap<>();
        Set<ByteString> templates = new HashSet<>();
        int daemons = 0;
        for (Pod pod : feedRealCluster()) {
            if (pod.getSpec().getNodeName().isEmpty()) {
                continue;
            }
            OwnerReference owner = pod.getMetadata().getOwnerReferences(0);
            daemons += owner.getKind().equals("DaemonSet") ? 1 : 0;
            ByteString template = ByteString.copyFrom(Objects.requireNonNull(server.server
                            .instance()
                            .engine()
                            .pod(PodKey.ofUid(pod.getMetadata().getUid())))
                    .template());
            templates.add(template);
            templatesOfOwner
                    .computeIfAbsent(owner.getUid(), uid -> new HashSet<>())
                    .add(template);
        }
        assertTrue(daemons > 10, daemons + " pods of a DaemonSet");
        templatesOfOwner.forEach((owner, its) -> assertEquals(1, its.size(), owner));
        assertTrue(templates.size() <= templatesOfOwner.size());
    }

    private List<Pod> feedRealCluster() throws IOException {
        List<ClusterEvent> events = new ArrayList<>();
        List<Pod> pods = new ArrayList<>();
        for (Message message : RealCluster.objects("cluster.json.gz")) {
            ClusterObject.Builder object = ClusterObject.newBuilder();
            if (message instanceof Pod pod) {
                pods.add(pod);
                object.setPod(pod);
            } else if (message instanceof Node node) {
                object.setNode(node);
                Pod daemon = daemon(node.getMetadata().getName());
                pods.add(daemon);
                events.add(added(object(daemon)));
            } else if (message instanceof Service service) {
                object.setService(service);
            } else if (message instanceof ReplicationController controller) {
                object.setReplicationController(controller);
            } else if (message instanceof ReplicaSet set) {
                object.setReplicaSet(set);
            } else if (message instanceof StatefulSet set) {
                object.setStatefulSet(set);
            }
            events.add(added(object.build()));
        }
        assertEquals(
                0,
                server.clusterState
                        .apply(ApplyRequest.newBuilder().addAllEvents(events).build())
                        .getRefusalsCount());
        return pods;
    }

    /** A DaemonSet pod on a node. The recorded cluster has no such pods. */
    private static Pod daemon(String node) {
        Pod.Builder daemon = pod("agent-" + node, node).toBuilder();
        daemon.getMetadataBuilder()
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind("DaemonSet")
                        .setName("agent")
                        .setUid("agent")
                        .setController(true));
        daemon.getSpecBuilder()
                .addTolerations(Toleration.newBuilder()
                        .setKey("node.kubernetes.io/unschedulable")
                        .setOperator("Exists")
                        .setEffect("NoSchedule"))
                .setAffinity(Affinity.newBuilder()
                        .setNodeAffinity(NodeAffinity.newBuilder()
                                .setRequiredDuringSchedulingIgnoredDuringExecution(NodeSelector.newBuilder()
                                        .addNodeSelectorTerms(NodeSelectorTerm.newBuilder()
                                                .addMatchFields(NodeSelectorRequirement.newBuilder()
                                                        .setKey("metadata.name")
                                                        .setOperator("In")
                                                        .addValues(node))))));
        return daemon.build();
    }

    @Test
    void placedPod_isJudgedAsIfItWereNotThere() {
        server.zones(2, 1);
        feed(spread(pod("z1-1", "z1")));
        ExplainResponse placed = explain(of(uid("z1-1")));
        assertTrue(placed.getPlaced());
        assertEquals(Map.of("z1", 1L, "z2", 1L), counts(placed));
        feed(spread(pod("pending", "")));
        ExplainResponse pending = explain(of(named(NAMESPACE, "pending")));
        assertFalse(pending.getPlaced());
        assertEquals(Map.of("z1", 2L, "z2", 1L), counts(pending));
        assertEquals(0, pending.getUnknownPodsCount());
    }

    @Test
    void assumedPod_isPlacedToo() {
        server.zones(2, 1);
        server.clusterState.assume(AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder().setPod(spread(pod("new", ""))).setNode("z2"))
                .build());
        ExplainResponse assumed = explain(of(uid("new")));
        assertTrue(assumed.getPlaced());
        assertEquals(Map.of("z1", 2L, "z2", 1L), counts(assumed));
    }

    @Test
    void overlay_changesTheClusterToo() {
        server.zones(2, 1);
        feed(spread(pod("z1-1", "z1")));
        Overlay overlay = Overlay.newBuilder()
                .addWithout(uid("z1-2"))
                .addWithout(uid("nobody"))
                .addAdd(AddedPod.newBuilder().setObject(pod("", "z2")))
                .build();
        ExplainResponse explained = explain(of(uid("z1-1")).setOverlay(overlay));
        assertEquals(Map.of("z1", 0L, "z2", 2L), counts(explained));
        assertEquals(List.of(uid("nobody")), explained.getUnknownPodsList());
    }

    @Test
    void podWhoseConstraintsChange_isExplainedByTheNewOnes() {
        server.zones(1, 1);
        assertEquals(0, explain(of(uid("z1-1"))).getConstraintsCount());
        feed(spread(pod("z1-1", "z1")));
        assertEquals(1, explain(of(uid("z1-1"))).getConstraintsCount());
    }

    @Test
    void podUnknown_isNotFound() {
        server.zones(1, 1);
        assertUnknown(uid("nobody"));
        assertUnknown(named(NAMESPACE, "nobody"));
        assertUnknown(named("nowhere", "z1-1"));
        assertUnknown(named("", "z1-1"));
        delete("z1-1");
        assertUnknown(uid("z1-1"));
    }

    @Test
    void podThatGoes_afterItWasFound_isUnknownToo() {
        server.zones(1, 1);
        explain(of(uid("z1-1")));
        Prepared<ExplainResponse> prepared = Queries.of(server.server.instance().placement())
                .prepare(of(uid("z1-1")).build());
        boolean[] gone = {false};
        RequestException refused = assertThrows(
                RequestException.class,
                () -> prepared.answer(() -> {
                    if (!gone[0]) {
                        gone[0] = true;
                        delete("z1-1");
                    }
                    return false;
                }));
        assertTrue(gone[0]);
        assertEquals(ErrorReason.ERROR_REASON_POD_UNKNOWN, refused.reason());
    }

    private void delete(String pod) {
        server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(deleted(object(pod(pod, ""))))
                .build());
    }

    private void assertUnknown(PodReference reference) {
        StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, () -> explain(of(reference)));
        assertEquals(Status.Code.NOT_FOUND, refused.getStatus().getCode());
        assertEquals(
                ErrorReason.ERROR_REASON_POD_UNKNOWN.name(),
                TestServer.detail(refused, ErrorInfo.class).getReason());
    }

    @Test
    void wrongReference_orPod_isNamedByItsPath() {
        server.zones(1, 1);
        TestServer.assertRefused("podReference", () -> explain(of(PodReference.getDefaultInstance())));
        TestServer.assertRefused(
                "podReference",
                () -> explain(
                        of(PodReference.newBuilder().setNamespace(NAMESPACE).build())));
        Pod.Builder wrong = spread(pod("z1-1", "z1")).toBuilder();
        wrong.getSpecBuilder().getTopologySpreadConstraintsBuilder(0).setMaxSkew(0);
        feed(wrong.build());
        TestServer.assertRefused(
                "podReference.spec.topologySpreadConstraints[0].maxSkew", () -> explain(of(uid("z1-1"))));
    }

    /** The pod with a constraint on zones. */
    private static Pod spread(Pod pod) {
        Pod.Builder spread = pod.toBuilder();
        spread.getSpecBuilder().addTopologySpreadConstraints(hard(ZONE));
        return spread.build();
    }

    private void feed(Pod pod) {
        server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(Messages.event(ClusterEvent.Type.TYPE_MODIFIED, object(pod)))
                .build());
    }

    private static Map<String, Long> counts(ExplainResponse explained) {
        Map<String, Long> counts = new TreeMap<>();
        for (DomainExplanation domain : explained.getConstraints(0).getDomainsList()) {
            counts.put(domain.getValue(), domain.getMatchingPodCount());
        }
        return counts;
    }

    private ExplainResponse explain(ExplainRequest.Builder request) {
        return server.placement.explain(request.build());
    }

    private static ExplainRequest.Builder of(PodReference reference) {
        return ExplainRequest.newBuilder().setPodReference(reference);
    }

    private static PodReference uid(String uid) {
        return PodReference.newBuilder().setUid(uid).build();
    }

    private static PodReference named(String namespace, String name) {
        return PodReference.newBuilder().setNamespace(namespace).setName(name).build();
    }
}
