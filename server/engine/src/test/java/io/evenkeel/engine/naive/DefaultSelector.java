package io.evenkeel.engine.naive;

import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodSelector;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The model's rule for the selector of default constraints: it comes from the owners of the pod, as in kube-scheduler's
 * helper of the same name.
 */
final class DefaultSelector {
    private DefaultSelector() {}

    static PodSelector of(IncomingPod pod, Collection<OwnerObject> owners) {
        Map<String, String> labels = new HashMap<>();
        for (OwnerObject owner : owners) {
            if (owner.kind() == ObjectKind.SERVICE
                    && owner.namespace().equals(pod.namespace())
                    && Recount.matches(owner.selector(), pod.labels())) {
                putLabels(owner, labels);
            }
        }
        List<LabelRequirement> ofController = new ArrayList<>();
        ControllerRef controller = pod.controller();
        for (OwnerObject owner : owners) {
            if (controller == null
                    || !owner.namespace().equals(pod.namespace())
                    || !owner.name().equals(controller.name())) {
                continue;
            }
            String reference = controller.apiVersion() + " " + controller.kind();
            switch (owner.kind()) {
                case REPLICATION_CONTROLLER -> {
                    if (reference.equals("v1 ReplicationController") || reference.equals("/v1 ReplicationController")) {
                        // Merged with the services' labels: if a key has two values, the controller's stays.
                        putLabels(owner, labels);
                    }
                }
                case REPLICA_SET -> {
                    if (reference.equals("apps/v1 ReplicaSet")) {
                        ofController.addAll(requirements(owner));
                    }
                }
                case STATEFUL_SET -> {
                    if (reference.equals("apps/v1 StatefulSet")) {
                        ofController.addAll(requirements(owner));
                    }
                }
                case NODE, POD, SERVICE, POD_DISRUPTION_BUDGET -> {}
            }
        }
        List<LabelRequirement> all = new ArrayList<>(ofController);
        labels.forEach(
                (key, value) -> all.add(new LabelRequirement(key, LabelRequirement.Operator.IN, List.of(value))));
        return new PodSelector(all);
    }

    private static List<LabelRequirement> requirements(OwnerObject owner) {
        PodSelector selector = owner.selector();
        return selector == null ? List.of() : selector.requirements();
    }

    /** For owners whose selector is a map of labels. */
    private static void putLabels(OwnerObject owner, Map<String, String> labels) {
        for (LabelRequirement requirement : requirements(owner)) {
            labels.put(requirement.key(), requirement.values().get(0));
        }
    }
}
