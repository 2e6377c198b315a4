package io.evenkeel.manifest;

import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.PersistentVolume;
import io.evenkeel.v1.PersistentVolumeClaim;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Volume;
import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Describes what a cluster shows about the persistent volume claims of a pod. */
public final class ClaimNotes {
    private final Storage storage;

    /** Reads claims and volumes from this storage. */
    public ClaimNotes(Storage storage) {
        this.storage = storage;
    }

    /** A sentence for each claim, each after a space; empty if the pod has none. */
    public String of(Pod pod) {
        String namespace = pod.getMetadata().getNamespace();
        return pod.getSpec().getVolumesList().stream()
                .map(ClaimNotes::claimName)
                .filter(name -> !name.isEmpty())
                .map(name -> " " + note(namespace, name))
                .collect(Collectors.joining());
    }

    private static String claimName(Volume volume) {
        return volume.hasPersistentVolumeClaim()
                ? volume.getPersistentVolumeClaim().getClaimName()
                : volume.getVolumeSource().getPersistentVolumeClaim().getClaimName();
    }

    private String note(String namespace, String name) {
        String subject = "The claim " + name;
        try {
            PersistentVolumeClaim claim = storage.claim(namespace, name);
            if (claim == null) {
                return subject + " is not in the input.";
            }
            String bound = claim.getSpec().getVolumeName();
            if (bound.isEmpty()) {
                return subject + " is not bound to a volume yet.";
            }
            subject += " is bound to the volume " + bound;
            PersistentVolume volume = storage.volume(bound);
            if (volume == null) {
                return subject + ", which is not in the input.";
            }
            return volume.getSpec().getNodeAffinity().hasRequired()
                    ? subject + ", which only nodes with "
                            + text(volume.getSpec().getNodeAffinity().getRequired()) + " can use."
                    : subject + ", which every node can use.";
        } catch (IOException e) {
            return subject + "; reading more failed: " + e.getMessage() + ".";
        }
    }

    private static String text(NodeSelector selector) {
        return selector.getNodeSelectorTermsList().stream()
                .map(term -> Stream.concat(term.getMatchExpressionsList().stream(), term.getMatchFieldsList().stream())
                        .map(ClaimNotes::text)
                        .collect(Collectors.joining(" and ")))
                .collect(Collectors.joining(", or "));
    }

    private static String text(NodeSelectorRequirement requirement) {
        String values = String.join(", ", requirement.getValuesList());
        return switch (requirement.getOperator()) {
            case "In" ->
                requirement.getKey() + (requirement.getValuesCount() == 1 ? "=" + values : " in (" + values + ")");
            case "NotIn" -> requirement.getKey() + " not in (" + values + ")";
            case "Exists" -> requirement.getKey();
            case "DoesNotExist" -> "no " + requirement.getKey();
            default -> requirement.getKey() + " " + requirement.getOperator() + " " + values;
        };
    }
}
