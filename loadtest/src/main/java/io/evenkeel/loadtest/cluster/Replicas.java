package io.evenkeel.loadtest.cluster;

import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Volume;
import java.util.UUID;

/** Makes variants of a pod: replicas, pods with a unique label, pods of a given size. */
public final class Replicas {
    private static final String OWN_LABEL = "statefulset.kubernetes.io/pod-name";

    private Replicas() {}

    /** The same pod with the name and UID of replica {@code number}. */
    public static Pod of(Pod template, int number) {
        String name = template.getMetadata().getName();
        return template.toBuilder()
                .setMetadata(template.getMetadata().toBuilder()
                        .setName(name.substring(0, name.lastIndexOf('-') + 1) + "%05d".formatted(number))
                        .setUid(new UUID(name.hashCode(), number).toString()))
                .build();
    }

    /** The same pod with a unique label that no selector uses, like the pod-name label of a StatefulSet's pods. */
    public static Pod withOwnLabel(Pod pod) {
        return pod.toBuilder()
                .setMetadata(pod.getMetadata().toBuilder()
                        .putLabels(OWN_LABEL, pod.getMetadata().getName()))
                .build();
    }

    /**
     * The same pod, padded to about {@code bytes} bytes with a volume that no rule depends on. Unchanged if it is
     * already that large.
     */
    public static Pod ofSize(Pod pod, int bytes) {
        int left = bytes - pod.getSerializedSize();
        if (left <= 0) {
            return pod;
        }
        return pod.toBuilder()
                .setSpec(
                        pod.getSpec().toBuilder().addVolumes(Volume.newBuilder().setName("v".repeat(left))))
                .build();
    }
}
