package io.evenkeel.commands;

import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Pods that can replace each other, because nothing that placement depends on differs. */
final class PodKinds {
    /**
     * Equal pods.
     *
     * @param pod one of them, without what is particular to it
     */
    record Kind(PodWorkload workload, Pod pod, int count) {}

    private PodKinds() {}

    /** The kinds of some pods, in the order of the first of each. */
    static List<Kind> of(Collection<Pod> pods) {
        Map<Pod, Kind> kinds = new LinkedHashMap<>();
        for (Pod pod : pods) {
            Pod common = common(pod);
            kinds.merge(
                    common,
                    new Kind(PodWorkload.of(pod), common, 1),
                    (known, added) -> new Kind(known.workload, common, known.count + 1));
        }
        return new ArrayList<>(kinds.values());
    }

    /** The pod without its name, identity, node and status. A pod without a namespace is in default. */
    static Pod common(Pod pod) {
        ObjectMeta metadata = pod.getMetadata();
        Pod.Builder common = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(metadata.getNamespace().isEmpty() ? "default" : metadata.getNamespace())
                        .putAllLabels(metadata.getLabelsMap())
                        .addAllOwnerReferences(metadata.getOwnerReferencesList()))
                .setSpec(pod.getSpec());
        common.getSpecBuilder().clearNodeName();
        return common.build();
    }
}
