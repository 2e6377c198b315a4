package io.evenkeel.loadtest.feed;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;

/** The bound pods of a generated cluster as they are fed: of a given size, with or without a label of their own. Immutable. */
final class FedPods {
    private static final String OWN_LABEL = "statefulset.kubernetes.io/pod-name";
    private static final int CONTAINERS = 2;
    private static final int AS_THEY_ARE = 0;

    private final ClusterGenerator cluster;
    private final int bytes;
    private final boolean labelled;

    private FedPods(ClusterGenerator cluster, int bytes, boolean labelled) {
        this.cluster = cluster;
        this.bytes = bytes;
        this.labelled = labelled;
    }

    /** The pods without what spread does not look at. */
    static FedPods of(ClusterGenerator cluster) {
        return new FedPods(cluster, AS_THEY_ARE, false);
    }

    /** The same where each pod has a label of its own that no selector looks at, as a StatefulSet's pods have their name. */
    static FedPods withOwnLabels(ClusterGenerator cluster) {
        return new FedPods(cluster, AS_THEY_ARE, true);
    }

    /** The same with containers, about which the server knows nothing, so that each takes about so many bytes. */
    FedPods ofSize(int most) {
        return new FedPods(cluster, most, labelled);
    }

    ClusterGenerator cluster() {
        return cluster;
    }

    /** How many there are. */
    int count() {
        return cluster.shape().pods();
    }

    /** The pod of that number, from 0. */
    Pod pod(int number) {
        Pod pod = cluster.pod(number);
        ObjectMeta.Builder metadata = pod.getMetadata().toBuilder();
        if (labelled) {
            metadata.putLabels(OWN_LABEL, metadata.getName());
        }
        Pod whole = pod.toBuilder().setMetadata(metadata).build();
        int left = bytes - whole.getSerializedSize();
        if (left <= 0) {
            return whole;
        }
        UnknownFieldSet containers = UnknownFieldSet.newBuilder()
                .addField(
                        CONTAINERS,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFrom(new byte[left]))
                                .build())
                .build();
        return whole.toBuilder()
                .setSpec(whole.getSpec().toBuilder().setUnknownFields(containers))
                .build();
    }
}
