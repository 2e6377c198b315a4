package io.evenkeel.objects;

import com.google.protobuf.StringValue;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts nodes, services, controllers and disruption budgets of a cluster into the objects that the engine stores;
 * {@link PodScanner} does this for pods. An object needs a UID, a name and, unless it is a node, a namespace; a
 * {@link Change#DELETED} object needs only its UID. Other fields are checked only for extreme sizes because the API
 * server has validated them. Thread-safe.
 */
public final class StoredObjectTranslator {
    private static final FieldPath METADATA = FieldPath.ROOT.field("metadata");
    static final FieldPath LABELS = METADATA.field("labels");

    /**
     * Limits far above the sizes that an API server would store. They are needed because the engine processes these
     * lists and maps while all readers are blocked.
     */
    static final PodLimits LIMITS = PodLimits.DEFAULT;

    private static final PodLimits NO_LIMITS = new PodLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);

    private StoredObjectTranslator() {}

    /**
     * Converts a node.
     *
     * @throws InvalidObjectException if the node is invalid; lists every violation
     */
    public static NodeObject node(Node node, Change change) throws InvalidObjectException {
        ObjectMeta metadata = node.getMetadata();
        Violations violations = check(metadata, false, change);
        if (change != Change.DELETED) {
            LIMITS.admitEntries(metadata.getLabelsCount(), LABELS, violations);
            LIMITS.admitEntries(
                    node.getSpec().getTaintsCount(),
                    FieldPath.ROOT.field("spec").field("taints"),
                    violations);
        }
        NodeAllocatable allocatable = change == Change.DELETED ? null : allocatable(node, violations);
        violations.throwIfAny();
        List<NodeTaint> taints = node.getSpec().getTaintsList().stream()
                .map(taint -> new NodeTaint(taint.getKey(), taint.getValue(), taint.getEffect()))
                .toList();
        return new NodeObject(
                metadata.getName(),
                metadata.getUid(),
                ResourceVersion.parse(metadata.getResourceVersion()),
                metadata.getLabelsMap(),
                taints,
                node.getSpec().getUnschedulable(),
                allocatable);
    }

    private static @Nullable NodeAllocatable allocatable(Node node, Violations violations) {
        Map<String, StringValue> quantities = node.getStatus().getAllocatableMap();
        FieldPath field = FieldPath.ROOT.field("status").field("allocatable");
        if (quantities.isEmpty() || !LIMITS.admitEntries(quantities.size(), field, violations)) {
            return null;
        }
        Map<String, BigDecimal> amounts = ResourceAmounts.read(quantities, field, violations);
        return new NodeAllocatable(
                Quantities.ceiling(amounts.getOrDefault(ResourceAmounts.PODS, BigDecimal.ZERO)),
                ResourceAmounts.rounded(amounts));
    }

    /** Converts a service; one with an empty selector gets none. See {@link #node}. */
    public static OwnerObject service(Service service, Change change) throws InvalidObjectException {
        return owner(
                ObjectKind.SERVICE,
                service.getMetadata(),
                change,
                ofLabels(service.getSpec().getSelectorMap()));
    }

    /** Converts a replication controller; one with an empty selector gets none. See {@link #node}. */
    public static OwnerObject replicationController(ReplicationController controller, Change change)
            throws InvalidObjectException {
        return owner(
                ObjectKind.REPLICATION_CONTROLLER,
                controller.getMetadata(),
                change,
                ofLabels(controller.getSpec().getSelectorMap()));
    }

    /** Converts a replica set; one whose selector cannot be parsed gets none. See {@link #node}. */
    public static OwnerObject replicaSet(ReplicaSet set, Change change) throws InvalidObjectException {
        return owner(
                ObjectKind.REPLICA_SET,
                set.getMetadata(),
                change,
                set.getSpec().hasSelector() ? parsed(set.getSpec().getSelector()) : null);
    }

    /** Converts a stateful set; one whose selector cannot be parsed gets none. See {@link #node}. */
    public static OwnerObject statefulSet(StatefulSet set, Change change) throws InvalidObjectException {
        return owner(
                ObjectKind.STATEFUL_SET,
                set.getMetadata(),
                change,
                set.getSpec().hasSelector() ? parsed(set.getSpec().getSelector()) : null);
    }

    private static OwnerObject owner(
            ObjectKind kind, ObjectMeta metadata, Change change, @Nullable PodSelector selector)
            throws InvalidObjectException {
        check(metadata, true, change).throwIfAny();
        return new OwnerObject(
                kind,
                metadata.getNamespace(),
                metadata.getName(),
                metadata.getUid(),
                ResourceVersion.parse(metadata.getResourceVersion()),
                selector);
    }

    /** Converts a disruption budget. See {@link #node}. */
    public static DisruptionBudget disruptionBudget(PodDisruptionBudget budget, Change change)
            throws InvalidObjectException {
        ObjectMeta metadata = budget.getMetadata();
        Violations violations = check(metadata, true, change);
        PodSelector selector = null;
        if (change != Change.DELETED && budget.getSpec().hasSelector()) {
            selector = SelectorTranslator.translate(
                    budget.getSpec().getSelector(), FieldPath.ROOT.field("spec").field("selector"), LIMITS, violations);
        }
        violations.throwIfAny();
        // Not Set.copyOf: its sets search one cell after another if names have equal String.hashCode, and callers can
        // choose them.
        Set<String> disrupted =
                new HashSet<>(budget.getStatus().getDisruptedPodsMap().keySet());
        return new DisruptionBudget(
                metadata.getNamespace(),
                metadata.getName(),
                metadata.getUid(),
                ResourceVersion.parse(metadata.getResourceVersion()),
                selector,
                budget.getStatus().getDisruptionsAllowed(),
                disrupted);
    }

    private static @Nullable PodSelector ofLabels(Map<String, String> labels) {
        return labels.isEmpty() ? null : PodSelector.ofLabels(labels);
    }

    /**
     * The selector, or null if it cannot be parsed: kube-scheduler's {@code helper.DefaultSelector} ignores such a
     * selector.
     */
    static @Nullable PodSelector parsed(io.evenkeel.v1.LabelSelector selector) {
        Violations violations = new Violations();
        PodSelector parsed = SelectorTranslator.translate(selector, FieldPath.ROOT, NO_LIMITS, violations);
        return violations.isEmpty() ? parsed : null;
    }

    /** Validates the metadata that every object needs. */
    static Violations check(ObjectMeta metadata, boolean namespaced, Change change) {
        Violations violations = new Violations();
        if (change != Change.DELETED) {
            TextRules.checkName(metadata.getName(), METADATA.field("name"), violations);
            if (namespaced) {
                TextRules.checkName(metadata.getNamespace(), METADATA.field("namespace"), violations);
            }
            if (!ResourceVersion.isValid(metadata.getResourceVersion())) {
                violations.add(
                        METADATA.field("resourceVersion"),
                        "must be an unsigned 64-bit decimal number, was "
                                + Quotes.quoted(metadata.getResourceVersion()));
            }
        }
        TextRules.checkName(metadata.getUid(), METADATA.field("uid"), violations);
        return violations;
    }
}
