package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod that is to be placed, with the fields that its answer can depend on. Equal incoming pods get equal answers.
 *
 * @param affinityTerms the terms of the required node affinity, ORed (an empty list matches no node); null if the pod
 *     has no required node affinity
 * @param controller null if no owner reference is the controller
 * @param requests what it asks of a node by its spec
 * @param nodeName the only node that it may go to (NodeName); empty if there is no such demand
 */
public record IncomingPod(
        String namespace,
        Map<String, String> labels,
        Map<String, String> nodeSelector,
        @Nullable List<NodeTerm> affinityTerms,
        List<TaintToleration> tolerations,
        List<SpreadConstraint> constraints,
        @Nullable ControllerRef controller,
        PodRequests requests,
        String nodeName) {
    public IncomingPod {
        // Not Map.copyOf: callers can choose keys of equal String.hashCode, and its maps then search one cell after
        // another.
        labels = Collections.unmodifiableMap(new HashMap<>(labels));
        nodeSelector = Collections.unmodifiableMap(new HashMap<>(nodeSelector));
        affinityTerms = affinityTerms == null ? null : List.copyOf(affinityTerms);
        tolerations = List.copyOf(tolerations);
        constraints = List.copyOf(constraints);
    }

    /** A pod whose containers were not given, and that may go to any node. */
    public IncomingPod(
            String namespace,
            Map<String, String> labels,
            Map<String, String> nodeSelector,
            @Nullable List<NodeTerm> affinityTerms,
            List<TaintToleration> tolerations,
            List<SpreadConstraint> constraints,
            @Nullable ControllerRef controller) {
        this(
                namespace,
                labels,
                nodeSelector,
                affinityTerms,
                tolerations,
                constraints,
                controller,
                PodRequests.UNKNOWN,
                "");
    }

    public IncomingPod withConstraints(List<SpreadConstraint> others) {
        return new IncomingPod(
                namespace, labels, nodeSelector, affinityTerms, tolerations, others, controller, requests, nodeName);
    }

    /** The same pod, as if it could go to any node. */
    public IncomingPod withoutNodeName() {
        return new IncomingPod(
                namespace, labels, nodeSelector, affinityTerms, tolerations, constraints, controller, requests, "");
    }

    /** The same pod, as if it could go to any node and its containers had not been given. */
    public IncomingPod withoutDemands() {
        return new IncomingPod(namespace, labels, nodeSelector, affinityTerms, tolerations, constraints, controller);
    }

    /** The same pod, as if its controller had this selector. */
    public IncomingPod withControllerSelector(PodSelector selector) {
        ControllerRef to = controller == null
                ? null
                : new ControllerRef(controller.apiVersion(), controller.kind(), controller.name(), selector);
        return new IncomingPod(
                namespace, labels, nodeSelector, affinityTerms, tolerations, constraints, to, requests, nodeName);
    }

    /**
     * The same pod reduced to what answers depend on. A pod with its own constraints gets no default ones, so its
     * controller does not matter. Of its labels, only those matter that a constraint's selector or matchLabelKeys name.
     * So pods of a StatefulSet or an indexed Job become equal, although each has a unique label.
     */
    public IncomingPod reduced() {
        if (constraints.isEmpty()) {
            return this;
        }
        Map<String, String> named = new HashMap<>();
        for (SpreadConstraint constraint : constraints) {
            PodSelector selector = constraint.selector();
            if (selector != null) {
                putLabels(named, selector);
            }
            for (String key : constraint.matchLabelKeys()) {
                putLabel(named, key);
            }
        }
        return new IncomingPod(
                namespace, named, nodeSelector, affinityTerms, tolerations, constraints, null, requests, nodeName);
    }

    /**
     * The same pod reduced to what answers depend on if all its constraints have this selector. So pods without
     * constraints become equal if they differ only in labels that the selector does not name, or in their controllers.
     */
    public IncomingPod reducedTo(PodSelector selector) {
        Map<String, String> named = new HashMap<>();
        putLabels(named, selector);
        return new IncomingPod(
                namespace, named, nodeSelector, affinityTerms, tolerations, constraints, null, requests, nodeName);
    }

    private void putLabels(Map<String, String> named, PodSelector selector) {
        for (LabelRequirement requirement : selector.requirements()) {
            putLabel(named, requirement.key());
        }
    }

    private void putLabel(Map<String, String> named, String key) {
        String value = labels.get(key);
        if (value != null) {
            named.put(key, value);
        }
    }

    /** Roughly how many bytes of heap it takes. */
    public long bytes() {
        return Footprint.OBJECT
                + Footprint.of(namespace)
                + Footprint.of(labels)
                + Footprint.of(nodeSelector)
                + Footprint.ofTerms(affinityTerms)
                + Footprint.ofTolerations(tolerations)
                + Footprint.ofConstraints(constraints)
                + requests.bytes()
                + Footprint.of(nodeName);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(
                namespace,
                labels,
                nodeSelector,
                affinityTerms,
                tolerations,
                constraints,
                controller,
                requests,
                nodeName);
    }
}
