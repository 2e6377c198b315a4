package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeSpec;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicaSetSpec;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.ReplicationControllerSpec;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import io.evenkeel.v1.StatefulSet;
import io.evenkeel.v1.StatefulSetSpec;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class StoredObjectTranslatorTest {
    private static final ObjectMeta META = ObjectMeta.newBuilder()
            .setName("a")
            .setNamespace("shop")
            .setUid("u")
            .setResourceVersion("12")
            .putLabels("app", "web")
            .build();

    @Test
    void node_isTranslatedWhole_andNeedsNoNamespace() throws Exception {
        Node node = Node.newBuilder()
                .setMetadata(META.toBuilder().clearNamespace())
                .setSpec(NodeSpec.newBuilder()
                        .setUnschedulable(true)
                        .addTaints(io.evenkeel.v1.Taint.newBuilder()
                                .setKey("k")
                                .setValue("v")
                                .setEffect("NoSchedule")))
                .build();
        assertEquals(
                new NodeObject(
                        "a", "u", 12, Map.of("app", "web"), List.of(new NodeTaint("k", "v", "NoSchedule")), true),
                StoredObjectTranslator.node(node, Change.ADDED));
    }

    @Test
    void allocatable_isRoundedUp_andNullIfAbsent() throws Exception {
        assertNull(StoredObjectTranslator.node(node(Map.of()), Change.ADDED).allocatable());
        assertEquals(
                new NodeAllocatable(10, Map.of("cpu", 7910L, "memory", 1_288_490_189L, "example.com/gpu", 0L)),
                StoredObjectTranslator.node(
                                node(Map.of(
                                        "pods",
                                        "1e1",
                                        "cpu",
                                        "7.91",
                                        "memory",
                                        "1.2Gi",
                                        "example.com/gpu",
                                        "0",
                                        "gpu",
                                        "1")),
                                Change.ADDED)
                        .allocatable());
        assertEquals(
                new NodeAllocatable(0, Map.of("cpu", 1L)),
                StoredObjectTranslator.node(node(Map.of("cpu", "1u")), Change.ADDED)
                        .allocatable());
    }

    @Test
    void quantityOfANode_thatIsMalformed_isNamed() {
        InvalidObjectException refusal = assertThrows(
                InvalidObjectException.class,
                () -> StoredObjectTranslator.node(node(Map.of("pods", "many")), Change.ADDED));
        assertEquals(
                List.of("status.allocatable[pods]"),
                refusal.violations().stream().map(FieldViolation::getField).toList());
    }

    private static Node node(Map<String, String> allocatable) {
        Node.Builder node = Node.newBuilder().setMetadata(META);
        allocatable.forEach((name, amount) -> node.getStatusBuilder().putAllocatable(name, StringValue.of(amount)));
        return node.build();
    }

    @Test
    void owners_haveTheirSelectors() throws Exception {
        PodSelector web = PodSelector.ofLabels(Map.of("app", "web"));
        assertEquals(
                new OwnerObject(ObjectKind.SERVICE, "shop", "a", "u", 12, web),
                StoredObjectTranslator.service(
                        Service.newBuilder()
                                .setMetadata(META)
                                .setSpec(ServiceSpec.newBuilder().putSelector("app", "web"))
                                .build(),
                        Change.LISTED));
        assertEquals(
                new OwnerObject(ObjectKind.REPLICATION_CONTROLLER, "shop", "a", "u", 12, web),
                StoredObjectTranslator.replicationController(
                        ReplicationController.newBuilder()
                                .setMetadata(META)
                                .setSpec(ReplicationControllerSpec.newBuilder().putSelector("app", "web"))
                                .build(),
                        Change.LISTED));
        io.evenkeel.v1.LabelSelector selector = io.evenkeel.v1.LabelSelector.newBuilder()
                .putMatchLabels("app", "web")
                .addMatchExpressions(
                        LabelSelectorRequirement.newBuilder().setKey("tier").setOperator("Exists"))
                .build();
        PodSelector parsed = web.and(
                new PodSelector(List.of(new LabelRequirement("tier", LabelRequirement.Operator.EXISTS, List.of()))));
        assertEquals(
                new OwnerObject(ObjectKind.REPLICA_SET, "shop", "a", "u", 12, parsed),
                StoredObjectTranslator.replicaSet(replicaSet(selector), Change.LISTED));
        assertEquals(
                new OwnerObject(ObjectKind.STATEFUL_SET, "shop", "a", "u", 12, parsed),
                StoredObjectTranslator.statefulSet(
                        StatefulSet.newBuilder()
                                .setMetadata(META)
                                .setSpec(StatefulSetSpec.newBuilder().setSelector(selector))
                                .build(),
                        Change.LISTED));
    }

    @Test
    void ownersSelector_isAbsent_ifItSelectsNothingOrCannotBeParsed() throws Exception {
        assertNull(StoredObjectTranslator.service(
                        Service.newBuilder().setMetadata(META).build(), Change.LISTED)
                .selector());
        assertNull(StoredObjectTranslator.replicationController(
                        ReplicationController.newBuilder().setMetadata(META).build(), Change.LISTED)
                .selector());
        assertNull(StoredObjectTranslator.replicaSet(
                        ReplicaSet.newBuilder().setMetadata(META).build(), Change.LISTED)
                .selector());
        assertNull(StoredObjectTranslator.statefulSet(
                        StatefulSet.newBuilder().setMetadata(META).build(), Change.LISTED)
                .selector());
        io.evenkeel.v1.LabelSelector unparsable = io.evenkeel.v1.LabelSelector.newBuilder()
                .putMatchLabels("app", "web")
                .addMatchExpressions(
                        LabelSelectorRequirement.newBuilder().setKey("tier").setOperator("Gt"))
                .build();
        assertNull(StoredObjectTranslator.replicaSet(replicaSet(unparsable), Change.LISTED)
                .selector());
        assertEquals(
                PodSelector.EMPTY,
                StoredObjectTranslator.replicaSet(
                                replicaSet(io.evenkeel.v1.LabelSelector.getDefaultInstance()), Change.LISTED)
                        .selector());
    }

    @Test
    void budget_selectsNoPod_allPods_orThoseThatItsSelectorMatches() throws Exception {
        PodDisruptionBudget.Builder budget = PodDisruptionBudget.newBuilder().setMetadata(META);
        budget.getStatusBuilder().setDisruptionsAllowed(3);
        assertEquals(new DisruptionBudget("shop", "a", "u", 12, null, 3, Set.of()), budget(budget));
        budget.getSpecBuilder().getSelectorBuilder();
        assertEquals(new DisruptionBudget("shop", "a", "u", 12, PodSelector.EMPTY, 3, Set.of()), budget(budget));
        budget.getSpecBuilder().getSelectorBuilder().putMatchLabels("app", "web");
        assertEquals(
                new DisruptionBudget("shop", "a", "u", 12, PodSelector.ofLabels(Map.of("app", "web")), 3, Set.of()),
                budget(budget));
    }

    @Test
    void budget_isRefused_ifItsSelectorIsInvalid_unlessItIsDeleted() throws Exception {
        PodDisruptionBudget.Builder budget = PodDisruptionBudget.newBuilder().setMetadata(META);
        budget.getSpecBuilder()
                .getSelectorBuilder()
                .addMatchExpressions(
                        LabelSelectorRequirement.newBuilder().setKey("tier").setOperator("Gt"));
        InvalidObjectException refused = assertThrows(InvalidObjectException.class, () -> budget(budget));
        assertEquals(
                List.of("spec.selector.matchExpressions[0].operator"),
                refused.violations().stream()
                        .map(violation -> violation.getField())
                        .toList());
        assertNull(StoredObjectTranslator.disruptionBudget(budget.build(), Change.DELETED)
                .selector());
    }

    private static DisruptionBudget budget(PodDisruptionBudget.Builder budget) throws InvalidObjectException {
        return StoredObjectTranslator.disruptionBudget(budget.build(), Change.LISTED);
    }

    @ParameterizedTest
    @EnumSource(value = Change.class, mode = EnumSource.Mode.EXCLUDE, names = "DELETED")
    void object_isRefused_withoutNameNamespaceOrUid(Change change) {
        InvalidObjectException refused =
                assertThrows(InvalidObjectException.class, () -> PodScanner.record(Pod.getDefaultInstance(), change));
        assertEquals(
                List.of(
                        Violations.of("metadata.name", "must not be empty"),
                        Violations.of("metadata.namespace", "must not be empty"),
                        Violations.of("metadata.uid", "must not be empty")),
                refused.violations());
        assertTrue(refused.getMessage().startsWith("name must not be empty (metadata.name); "), refused.getMessage());
        assertEquals(
                List.of("metadata.name", "metadata.uid"),
                assertThrows(
                                InvalidObjectException.class,
                                () -> StoredObjectTranslator.node(Node.getDefaultInstance(), change))
                        .violations()
                        .stream()
                        .map(FieldViolation::getField)
                        .toList());
        assertThrows(
                InvalidObjectException.class,
                () -> StoredObjectTranslator.service(Service.getDefaultInstance(), change));
    }

    @Test
    void deletedObject_needsOnlyItsUid() throws Exception {
        ObjectMeta bare = ObjectMeta.newBuilder()
                .setUid("u")
                .setResourceVersion("not a number")
                .build();
        PodObject pod = PodScanner.record(Pod.newBuilder().setMetadata(bare).build(), Change.DELETED)
                .toObject();
        assertEquals("u", pod.uid());
        assertEquals(0, pod.resourceVersion());
        assertEquals(
                "u",
                StoredObjectTranslator.node(Node.newBuilder().setMetadata(bare).build(), Change.DELETED)
                        .uid());
        InvalidObjectException refused = assertThrows(
                InvalidObjectException.class,
                () -> StoredObjectTranslator.replicaSet(ReplicaSet.getDefaultInstance(), Change.DELETED));
        assertEquals("uid must not be empty (metadata.uid)", refused.getMessage());
    }

    private static ReplicaSet replicaSet(io.evenkeel.v1.LabelSelector selector) {
        return ReplicaSet.newBuilder()
                .setMetadata(META)
                .setSpec(ReplicaSetSpec.newBuilder().setSelector(selector))
                .build();
    }
}
