package io.evenkeel.objects;

import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Validates a pod to be placed and converts it into an {@link IncomingPod}. The pod needs neither a name nor a UID; an
 * empty namespace means {@code default}. Its {@code nodeName} is the only node that it may go to (NodeName of
 * kube-scheduler). Node affinity terms and tolerations are not validated: as in kube-scheduler, one that cannot be
 * parsed matches nothing. Thread-safe.
 */
public final class IncomingPodTranslator {
    private static final String DEFAULT_NAMESPACE = "default";
    private static final FieldPath METADATA = FieldPath.ROOT.field("metadata");
    private static final FieldPath SPEC = FieldPath.ROOT.field("spec");
    private static final FieldPath LABELS = METADATA.field("labels");
    private static final FieldPath NODE_SELECTOR = SPEC.field("nodeSelector");
    private static final FieldPath CONSTRAINTS = SPEC.field("topologySpreadConstraints");
    private static final FieldPath TOLERATIONS = SPEC.field("tolerations");
    private static final FieldPath TERMS = SPEC.field("affinity")
            .field("nodeAffinity")
            .field("requiredDuringSchedulingIgnoredDuringExecution")
            .field("nodeSelectorTerms");

    private final PodLimits limits;
    private final ConstraintTranslator constraints;

    /** A translator that rejects pods that exceed {@code limits}. */
    public IncomingPodTranslator(PodLimits limits) {
        this.limits = limits;
        this.constraints = new ConstraintTranslator(limits);
    }

    /**
     * Converts a pod.
     *
     * @throws InvalidObjectException if the pod is invalid; lists every violation
     */
    public IncomingPod translate(Pod pod) throws InvalidObjectException {
        Violations violations = new Violations();
        ObjectMeta metadata = pod.getMetadata();
        PodSpec spec = pod.getSpec();
        TextRules.checkLength(metadata.getNamespace(), TextRules.MAX_NAME, METADATA.field("namespace"), violations);
        checkLabels(metadata.getLabelsMap(), LABELS, violations);
        limits.admitEntries(metadata.getOwnerReferencesCount(), METADATA.field("ownerReferences"), violations);
        checkLabels(spec.getNodeSelectorMap(), NODE_SELECTOR, violations);
        List<NodeTerm> affinityTerms = spec.getAffinity()
                        .getNodeAffinity()
                        .hasRequiredDuringSchedulingIgnoredDuringExecution()
                ? terms(
                        spec.getAffinity().getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution(),
                        violations)
                : null;
        List<TaintToleration> tolerations = tolerations(spec, violations);
        List<SpreadConstraint> spread =
                constraints.ofPod(spec.getTopologySpreadConstraintsList(), CONSTRAINTS, violations);
        PodRequests requests = RequestsTranslator.asked(spec, limits, violations);
        TextRules.checkLength(spec.getNodeName(), TextRules.MAX_NAME, SPEC.field("nodeName"), violations);
        violations.throwIfAny();
        return new IncomingPod(
                metadata.getNamespace().isEmpty() ? DEFAULT_NAMESPACE : metadata.getNamespace(),
                metadata.getLabelsMap(),
                spec.getNodeSelectorMap(),
                affinityTerms,
                tolerations,
                spread,
                controller(metadata),
                requests,
                spec.getNodeName());
    }

    private void checkLabels(Map<String, String> labels, FieldPath field, Violations violations) {
        if (limits.admitEntries(labels.size(), field, violations)) {
            LabelRules.checkLabels(labels, field, violations);
        }
    }

    private List<TaintToleration> tolerations(PodSpec spec, Violations violations) {
        List<TaintToleration> translated = new ArrayList<>(spec.getTolerationsCount());
        if (limits.admitEntries(spec.getTolerationsCount(), TOLERATIONS, violations)) {
            for (io.evenkeel.v1.Toleration toleration : spec.getTolerationsList()) {
                translated.add(new TaintToleration(
                        toleration.getKey(), toleration.getOperator(), toleration.getValue(), toleration.getEffect()));
            }
        }
        return translated;
    }

    private List<NodeTerm> terms(NodeSelector selector, Violations violations) {
        List<NodeTerm> translated = new ArrayList<>(selector.getNodeSelectorTermsCount());
        if (limits.admitEntries(selector.getNodeSelectorTermsCount(), TERMS, violations)) {
            NodeTermTranslator terms = new NodeTermTranslator(limits, violations);
            for (int i = 0; i < selector.getNodeSelectorTermsCount(); i++) {
                translated.add(terms.translate(selector.getNodeSelectorTerms(i), TERMS.index(i)));
            }
        }
        return translated;
    }

    /**
     * Converts the selector that the controller of a pod will have.
     *
     * @param field the path of the selector
     * @throws InvalidObjectException if the selector is invalid
     */
    public PodSelector controllerSelector(Pod pod, LabelSelector selector, String field) throws InvalidObjectException {
        Violations violations = new Violations();
        FieldPath path = FieldPath.ROOT.field(field);
        PodSelector translated = SelectorTranslator.translate(selector, path, limits, violations);
        ControllerRef controller = controller(pod.getMetadata());
        if (controller == null) {
            violations.add(path, "must be unset unless an owner reference of the pod has controller: true");
        } else if (ObjectKind.REPLICATION_CONTROLLER.isReferredToBy(controller)
                && selector.getMatchExpressionsCount() > 0) {
            violations.add(path.field("matchExpressions"), "must be empty for a ReplicationController");
        }
        violations.throwIfAny();
        return translated;
    }

    /** The first owner reference with {@code controller: true}, as in apimachinery's {@code GetControllerOf}. */
    private static @Nullable ControllerRef controller(ObjectMeta metadata) {
        for (OwnerReference owner : metadata.getOwnerReferencesList()) {
            if (owner.getController()) {
                return new ControllerRef(owner.getApiVersion(), owner.getKind(), owner.getName());
            }
        }
        return null;
    }
}
