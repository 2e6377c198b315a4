package io.evenkeel.commands;

import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import java.util.Comparator;
import java.util.Set;

/**
 * The workload of a pod: its controller or, if the names show it, the Deployment of its ReplicaSet; for a pod without a
 * controller, the pod itself.
 */
record PodWorkload(String namespace, String kind, String name) implements Comparable<PodWorkload> {
    private static final Comparator<PodWorkload> ORDER = Comparator.comparing(PodWorkload::namespace)
            .thenComparing(PodWorkload::kind)
            .thenComparing(PodWorkload::name);

    /** The label by which the pods of a Deployment name their revision. */
    static final String TEMPLATE_HASH = "pod-template-hash";

    /** Controllers whose pods end with their node. The pod of a node is a mirror pod. */
    private static final Set<String> BOUND_TO_NODES = Set.of("DaemonSet", "Node");

    static PodWorkload of(Pod pod) {
        ObjectMeta metadata = pod.getMetadata();
        for (OwnerReference owner : metadata.getOwnerReferencesList()) {
            if (owner.getController()) {
                String suffix = "-" + metadata.getLabelsOrDefault(TEMPLATE_HASH, "");
                boolean isOfDeployment = owner.getKind().equals("ReplicaSet")
                        && suffix.length() > 1
                        && owner.getName().endsWith(suffix);
                return isOfDeployment
                        ? new PodWorkload(
                                metadata.getNamespace(),
                                "Deployment",
                                owner.getName().substring(0, owner.getName().length() - suffix.length()))
                        : new PodWorkload(metadata.getNamespace(), owner.getKind(), owner.getName());
            }
        }
        String name =
                metadata.getName().isEmpty() ? metadata.getGenerateName().replaceFirst("-$", "") : metadata.getName();
        return new PodWorkload(metadata.getNamespace(), "Pod", name);
    }

    /** Whether no controller would create its pods again. */
    boolean isSinglePod() {
        return kind.equals("Pod");
    }

    /** Whether its pods run on particular nodes and end with them. */
    boolean isBoundToNodes() {
        return BOUND_TO_NODES.contains(kind);
    }

    @Override
    public int compareTo(PodWorkload other) {
        return ORDER.compare(this, other);
    }

    /** {@code shop/Deployment/web}. */
    @Override
    public String toString() {
        return (namespace.isEmpty() ? "default" : namespace) + "/" + kind + "/" + name;
    }
}
