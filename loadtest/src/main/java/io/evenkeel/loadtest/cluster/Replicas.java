package io.evenkeel.loadtest.cluster;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.evenkeel.v1.Pod;
import java.util.UUID;

/** Makes variants of a pod: replicas, pods with a unique label, pods of a given size. */
public final class Replicas {
    private static final int VOLUMES = 1;
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
     * The same pod, padded to about {@code bytes} bytes with volumes, which the server ignores. Unchanged if it is
     * already that large.
     */
    public static Pod ofSize(Pod pod, int bytes) {
        int left = bytes - pod.getSerializedSize();
        if (left <= 0) {
            return pod;
        }
        UnknownFieldSet volumes = UnknownFieldSet.newBuilder()
                .addField(
                        VOLUMES,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFrom(new byte[left]))
                                .build())
                .build();
        return pod.toBuilder()
                .setSpec(pod.getSpec().toBuilder().setUnknownFields(volumes))
                .build();
    }
}
