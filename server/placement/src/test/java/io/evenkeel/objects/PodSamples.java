package io.evenkeel.objects;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import io.evenkeel.v1.Affinity;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerPort;
import io.evenkeel.v1.ContainerStatus;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.NodeAffinity;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeSelectorTerm;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.ResourceRequirements;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.Volume;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Generates pods like those of a watch, from a seed, with fields that an answer depends on and many others. */
public final class PodSamples {
    private static final int FINALIZERS = 14;
    private static final int MANAGED_FIELDS = 17;
    private static final int HOST_ALIASES = 23;
    private static final int CONFIG_MAP = 19;
    private static final int PULL_SECRETS = 15;
    private static final int POD_IP = 6;
    private static final int IMAGE = 2;
    private static final int MOUNTS = 9;
    private static final int CONTAINER_ID = 8;
    private static final int TIMES = 4;
    private static final List<String> QUANTITIES =
            List.of("0", "1", "250m", "0.5", "1e-1", "300000001n", "64Mi", "1.5Gi", "1e3", "-1", "1 core");

    private final Random random;

    public PodSamples(long seed) {
        random = new Random(seed);
    }

    /** A random pod. Few of its parts are missing or invalid. */
    public Pod pod() {
        ObjectMeta.Builder metadata = ObjectMeta.newBuilder()
                .setNamespace(pick("", "shop", "a-namespace-of-some-length"))
                .putLabels("app", pick("web", "db"));
        if (random.nextBoolean()) {
            metadata.putLabels("pod-template-hash", pick("7d9c5b", "56f8"));
        }
        if (random.nextBoolean()) {
            metadata.addOwnerReferences(OwnerReference.newBuilder()
                    .setApiVersion("apps/v1")
                    .setKind(random.nextInt(3) > 0 ? "ReplicaSet" : pick("DaemonSet", "CloneSet"))
                    .setName(pick("web-7d9c5b", "web-56f8"))
                    .setUid("0b1a7c7e-3d8f-4d43-a4de-0d4d1c4b2f" + pick("10", "11"))
                    .setController(random.nextInt(4) > 0));
        }
        PodSpec.Builder spec = PodSpec.newBuilder();
        for (int i = random.nextInt(3); i > 0; i--) {
            spec.addTopologySpreadConstraints(constraint());
        }
        if (random.nextInt(3) == 0) {
            spec.putNodeSelector("disk", pick("ssd", ""));
        }
        if (random.nextInt(3) == 0) {
            spec.setAffinity(Affinity.newBuilder().setNodeAffinity(affinity()));
        }
        if (random.nextInt(3) == 0) {
            spec.addTolerations(Toleration.newBuilder()
                    .setKey("gpu")
                    .setOperator(pick("", "Equal", "Exists"))
                    .setEffect("NoSchedule"));
        }
        if (random.nextInt(3) == 0) {
            spec.setSchedulerName(pick("default-scheduler", "batch"));
        }
        if (random.nextInt(3) == 0) {
            spec.setPriority(random.nextInt(2_000) - 1_000);
        }
        for (int i = random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0; i > 0; i--) {
            spec.addContainers(container("c" + i, ""));
        }
        for (int i = spec.getContainersCount() * random.nextInt(2); i > 0; i--) {
            spec.addInitContainers(container("i" + i, pick("", "Always")));
        }
        if (random.nextInt(16) == 0) {
            spec.putOverhead("cpu", quantity());
        }
        if (random.nextInt(16) == 0) {
            spec.setResources(resources());
        }
        if (random.nextInt(4) == 0) {
            spec.addVolumes(volume(true));
        }
        return replica(Pod.newBuilder().setMetadata(metadata).setSpec(spec).build());
    }

    private Container container(String name, String restartPolicy) {
        Container.Builder container = Container.newBuilder().setName(name).setResources(resources());
        if (!restartPolicy.isEmpty()) {
            container.setRestartPolicy(restartPolicy);
        }
        if (random.nextInt(4) == 0) {
            container.addPorts(ContainerPort.newBuilder()
                    .setHostPort(random.nextInt(3) * 8_080)
                    .setProtocol(pick("", "UDP"))
                    .setHostIp(pick("", "10.0.0.1")));
        }
        return container.build();
    }

    private ResourceRequirements resources() {
        ResourceRequirements.Builder resources = ResourceRequirements.newBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            resources.putRequests(pick("cpu", "memory", "example.com/gpu", "storage"), quantity());
        }
        return resources.build();
    }

    /** Few are negative or malformed. */
    private StringValue quantity() {
        return StringValue.of(QUANTITIES.get(random.nextInt(random.nextInt(20) == 0 ? QUANTITIES.size() : 9)));
    }

    /** A status with the state of a resize, or with a part of it. */
    private PodStatus status(PodSpec spec) {
        PodStatus.Builder status =
                PodStatus.newBuilder().setPhase(pick("", "Pending")).setUnknownFields(unknown(POD_IP));
        if (random.nextInt(4) == 0) {
            status.setStartTime(Timestamp.newBuilder()
                    .setSeconds(
                            random.nextInt(8) == 0 ? random.nextLong() : 1_700_000_000 + random.nextInt(1_000_000)));
        }
        if (random.nextInt(4) == 0) {
            status.addConditions(PodCondition.newBuilder()
                    .setType("DisruptionTarget")
                    .setStatus(pick("True", "False"))
                    .setReason(pick("PreemptionByScheduler", "EvictionByEvictionAPI")));
        }
        if (random.nextInt(4) == 0) {
            status.addConditions(PodCondition.newBuilder()
                    .setType(pick("PodResizePending", "Ready"))
                    .setReason(pick("", "Deferred", "Infeasible"))
                    .setUnknownFields(unknown(TIMES)));
        }
        spec.getContainersList().forEach(container -> status.addContainerStatuses(status(container)));
        spec.getInitContainersList().forEach(container -> status.addInitContainerStatuses(status(container)));
        if (random.nextInt(8) == 0) {
            status.setResources(resources()).putAllocatedResources("cpu", quantity());
        }
        return status.build();
    }

    private ContainerStatus status(Container container) {
        ContainerStatus.Builder status =
                ContainerStatus.newBuilder().setName(container.getName()).setUnknownFields(unknown(CONTAINER_ID));
        if (random.nextBoolean()) {
            status.setResources(random.nextBoolean() ? container.getResources() : resources());
        }
        if (random.nextInt(4) == 0) {
            status.putAllocatedResources("cpu", quantity());
        }
        return status.build();
    }

    private TopologySpreadConstraint constraint() {
        TopologySpreadConstraint.Builder constraint = TopologySpreadConstraint.newBuilder()
                // Invalid if it is 0.
                .setMaxSkew(random.nextInt(8))
                .setTopologyKey(pick("topology.kubernetes.io/zone", "kubernetes.io/hostname"))
                .setWhenUnsatisfiable(pick("DoNotSchedule", "ScheduleAnyway"));
        if (random.nextInt(4) > 0) {
            constraint.setLabelSelector(LabelSelector.newBuilder()
                    .putMatchLabels("app", pick("web", "db"))
                    .addMatchExpressions(LabelSelectorRequirement.newBuilder()
                            .setKey("tier")
                            .setOperator(pick("Exists", "DoesNotExist"))));
        }
        if (random.nextInt(4) == 0) {
            constraint.setMinDomains(1 + random.nextInt(3));
        }
        if (random.nextInt(4) == 0) {
            constraint.setNodeTaintsPolicy(pick("Honor", "Ignore"));
        }
        if (random.nextInt(4) == 0) {
            constraint.addMatchLabelKeys("pod-template-hash");
        }
        return constraint.build();
    }

    private NodeAffinity affinity() {
        return NodeAffinity.newBuilder()
                .setRequiredDuringSchedulingIgnoredDuringExecution(NodeSelector.newBuilder()
                        .addNodeSelectorTerms(NodeSelectorTerm.newBuilder()
                                .addMatchExpressions(NodeSelectorRequirement.newBuilder()
                                        .setKey("disk")
                                        .setOperator(pick("In", "NotIn"))
                                        .addValues("ssd"))))
                .build();
    }

    /** Another pod of the same workload on the same node, with its own name, age and history. */
    public Pod replica(Pod pod) {
        Pod.Builder replica = pod.toBuilder();
        replica.getMetadataBuilder()
                .setName("web-" + random.nextInt(1_000_000))
                .setGenerateName("web-" + pick("", "x"))
                .setUid(new UUID(random.nextLong(), random.nextLong()).toString())
                .setResourceVersion(Long.toString(random.nextInt(1 << 20)))
                .setCreationTimestamp(Timestamp.newBuilder().setSeconds(random.nextInt(Integer.MAX_VALUE)))
                .setUnknownFields(unknown(FINALIZERS, MANAGED_FIELDS));
        annotate(replica.getMetadataBuilder());
        if (random.nextInt(4) == 0) {
            replica.getSpecBuilder().setTerminationGracePeriodSeconds(random.nextInt(100));
        }
        replica.getSpecBuilder().setUnknownFields(unknown(HOST_ALIASES, PULL_SECRETS));
        boolean claims = pod.getSpec().getVolumesList().stream()
                .anyMatch(volume -> volume.getVolumeSource().hasPersistentVolumeClaim());
        replica.getSpecBuilder().clearVolumes();
        for (int i = random.nextInt(3); i > 0; i--) {
            replica.getSpecBuilder().addVolumes(volume(false));
        }
        if (claims) {
            replica.getSpecBuilder().addVolumes(volume(true));
        }
        if (pod.getSpec().getNodeName().isEmpty()) {
            replica.getSpecBuilder().setNodeName(random.nextInt(8) == 0 ? "another" : "a-node");
        }
        replica.getSpecBuilder()
                .getContainersBuilderList()
                .forEach(container -> container.setUnknownFields(unknown(IMAGE, MOUNTS)));
        if (random.nextBoolean()) {
            replica.setStatus(status(pod.getSpec()));
        }
        return replica.build();
    }

    /** Annotations that matter when a node is removed, and others. */
    private void annotate(ObjectMeta.Builder metadata) {
        metadata.putAnnotations("kubectl.kubernetes.io/restartedAt", Long.toString(random.nextLong()));
        if (random.nextInt(8) == 0) {
            metadata.putAnnotations("kubernetes.io/config.mirror", pick("", "0b1a7c7e"));
        }
        if (random.nextInt(3) == 0) {
            metadata.putAnnotations(
                    "cluster-autoscaler.kubernetes.io/safe-to-evict",
                    random.nextBoolean() ? pick("true", "false") : pick("on-completion", "True"));
        }
        if (random.nextInt(3) == 0) {
            metadata.putAnnotations(
                    "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes",
                    IntStream.range(0, 50 * random.nextInt(3))
                            .mapToObj(i -> "volume-" + i)
                            .collect(Collectors.joining(",")));
        }
        if (random.nextInt(8) == 0) {
            metadata.putAnnotations("cluster-autoscaler.kubernetes.io/daemonset-pod", pick("true", "false"));
        }
        if (random.nextInt(4) == 0) {
            metadata.setDeletionTimestamp(Timestamp.newBuilder().setSeconds(random.nextInt(Integer.MAX_VALUE)));
        }
    }

    private Volume volume(boolean isClaim) {
        Volume.Builder volume = Volume.newBuilder().setName("volume-" + random.nextInt(100));
        if (isClaim) {
            volume.getVolumeSourceBuilder()
                    .getPersistentVolumeClaimBuilder()
                    .setClaimName("claim-" + random.nextInt(100));
        } else if (random.nextInt(3) > 0) {
            volume.getVolumeSourceBuilder().setUnknownFields(unknown(CONFIG_MAP));
        } else if (random.nextBoolean()) {
            volume.getVolumeSourceBuilder().getHostPathBuilder();
        } else {
            volume.getVolumeSourceBuilder().getEmptyDirBuilder().setMedium(pick("", "Memory"));
        }
        return volume.build();
    }

    private UnknownFieldSet unknown(int... fields) {
        UnknownFieldSet.Builder unknown = UnknownFieldSet.newBuilder();
        for (int field : fields) {
            byte[] bytes = new byte[random.nextInt(random.nextInt(8) == 0 ? 400 : 40)];
            random.nextBytes(bytes);
            unknown.addField(
                    field,
                    UnknownFieldSet.Field.newBuilder()
                            .addLengthDelimited(ByteString.copyFrom(bytes))
                            .build());
        }
        if (random.nextInt(4) == 0) {
            unknown.addField(
                    1_000,
                    UnknownFieldSet.Field.newBuilder()
                            .addVarint(random.nextLong())
                            .addFixed32(7)
                            .addFixed64(8)
                            .build());
        }
        return unknown.build();
    }

    /** The bytes with a random change, which may make them invalid. */
    public byte[] mutated(byte[] bytes) {
        byte[] mutated = bytes.clone();
        for (int i = random.nextInt(3); i >= 0; i--) {
            if (mutated.length > 0) {
                mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
            }
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(mutated, random.nextInt(mutated.length + 1)) : mutated;
    }

    private String pick(String... values) {
        return values[random.nextInt(values.length)];
    }
}
