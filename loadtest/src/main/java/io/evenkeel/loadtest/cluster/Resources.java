package io.evenkeel.loadtest.cluster;

import com.google.protobuf.StringValue;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ResourceRequirements;

/** Gives nodes resources, and pods requests. One node in twenty is large. */
public final class Resources {
    private static final int ONE_IS_LARGE_IN = 20;

    private Resources() {}

    /** The node with 8 cpus, or with 64 if it is large. */
    public static Node of(Node node) {
        boolean large = NodeLayout.number(node.getMetadata().getName()) % ONE_IS_LARGE_IN == 0;
        return of(node, large ? "64" : "8");
    }

    /** The node with so much cpu. */
    static Node of(Node node, String cpu) {
        return node.toBuilder()
                .setStatus(NodeStatus.newBuilder()
                        .putAllocatable("cpu", StringValue.of(cpu))
                        .putAllocatable("memory", StringValue.of("256Gi"))
                        .putAllocatable("ephemeral-storage", StringValue.of("1Ti"))
                        .putAllocatable("pods", StringValue.of("250")))
                .build();
    }

    /** The pod with one container that asks for so much cpu, and for some memory. */
    public static Pod asking(Pod pod, String cpu) {
        Pod.Builder asking = pod.toBuilder();
        asking.getSpecBuilder()
                .addContainers(Container.newBuilder()
                        .setName("main")
                        .setResources(ResourceRequirements.newBuilder()
                                .putRequests("cpu", StringValue.of(cpu))
                                .putRequests("memory", StringValue.of("128Mi"))));
        return asking.build();
    }
}
