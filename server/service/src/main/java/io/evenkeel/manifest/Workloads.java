package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Message;
import io.evenkeel.objects.FieldPath;
import io.evenkeel.objects.PodDefaults;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.ReplicaSetSpec;
import io.evenkeel.v1.ReplicationControllerSpec;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates the pod of a workload: a Pod as it is, or the next pod that an object with a template would create. */
final class Workloads {
    /** The path of the template in most kinds, and the only one in kinds that are not Kubernetes' own. */
    private static final List<String> CUSTOM_TEMPLATE = List.of("spec", "template");

    /** The kinds with a pod template, and the path of the template. */
    private static final Map<String, List<String>> TEMPLATES = Map.of(
            "PodTemplate", List.of("template"),
            "Deployment", CUSTOM_TEMPLATE,
            "ReplicaSet", CUSTOM_TEMPLATE,
            "StatefulSet", CUSTOM_TEMPLATE,
            "DaemonSet", CUSTOM_TEMPLATE,
            "ReplicationController", CUSTOM_TEMPLATE,
            "Job", CUSTOM_TEMPLATE,
            "CronJob", List.of("spec", "jobTemplate", "spec", "template"));

    /** Kinds that control their pods directly, and whose selectors default constraints use. */
    private static final List<String> CONTROLLERS = List.of("ReplicaSet", "StatefulSet", "ReplicationController");

    /** Kinds whose pods have another controller or none, which does not exist yet. */
    private static final List<String> INDIRECT = List.of("CronJob", "PodTemplate");

    /** The apiVersion of the ReplicaSet that controls a Deployment's pods. */
    private static final String REPLICA_SETS = "apps/v1";

    /** The label by which a Deployment distinguishes its ReplicaSets. It is in their selectors too. */
    private static final String TEMPLATE_HASH = "pod-template-hash";

    /** The label by which an Argo Rollout distinguishes its ReplicaSets. */
    private static final String ROLLOUT_HASH = "rollouts-pod-template-hash";

    private static final String CONTROLLER_REVISION = "controller-revision-hash";

    /**
     * Labels by which a controller distinguishes its revisions or runs. A pod created from a template gets values that
     * no other pod has yet.
     */
    private static final Map<String, List<String>> NEW_LABELS = Map.of(
            "Deployment", List.of(TEMPLATE_HASH),
            "StatefulSet", List.of(CONTROLLER_REVISION),
            "DaemonSet", List.of(CONTROLLER_REVISION),
            "CloneSet", List.of(CONTROLLER_REVISION),
            "Rollout", List.of(ROLLOUT_HASH),
            "Job", List.of("batch.kubernetes.io/controller-uid", "controller-uid"),
            "CronJob",
                    List.of(
                            "batch.kubernetes.io/controller-uid",
                            "controller-uid",
                            "batch.kubernetes.io/job-name",
                            "job-name"));

    private static final List<String> NAMES_OF_JOB = List.of("batch.kubernetes.io/job-name", "job-name");

    /** A readable value that differs from all hashes and UIDs that Kubernetes generates. */
    private static final String NEXT_REVISION = "next-revision";

    private static final String NEXT_RUN = "next-run";

    /** Whether the value of a label is a placeholder for a value that does not exist yet, or looks like one. */
    static boolean isStandIn(String value) {
        return value.startsWith(NEXT_REVISION) || value.startsWith(NEXT_RUN);
    }

    /** The kinds of workloads, Pod first. */
    static final List<String> KINDS = kinds();

    /** The strategy of a Deployment that is being read. */
    private static final class Rollout {
        private RolloutStrategy strategy = RolloutStrategy.DEFAULT;
    }

    private Workloads() {}

    private static List<String> kinds() {
        return Stream.concat(Stream.of("Pod"), TEMPLATES.keySet().stream().sorted())
                .toList();
    }

    /**
     * Reads the content of a workload.
     *
     * @param fields a reader inside the object, before its first field
     * @return null if the kind is not Kubernetes' own and the object has no pod template
     */
    static @Nullable PodManifest read(String kind, String apiVersion, TokenReader fields, FieldPath object)
            throws IOException {
        Pod.Builder pod = Pod.newBuilder();
        List<String> template = TEMPLATES.getOrDefault(kind, CUSTOM_TEMPLATE);
        if (kind.equals("Pod")) {
            new MessageFiller(fields, false).fill(pod);
            PodDefaults.apply(pod.getSpecBuilder());
            return PodManifest.of(pod.build());
        }
        ObjectMeta.Builder owner = ObjectMeta.newBuilder();
        Message.Builder spec = selecting(kind);
        Rollout rollout = kind.equals("Deployment") ? new Rollout() : null;
        boolean found = false;
        for (String name = fields.nextField(); name != null; name = fields.nextField()) {
            if (name.equals("metadata") && !fields.isAt(JsonToken.VALUE_NULL)) {
                fields.expectObject();
                new MessageFiller(fields, false).fill(owner);
            } else if (name.equals(template.get(0))) {
                found = fillTemplate(fields, template.subList(1, template.size()), pod, spec, rollout);
            } else {
                fields.skipValue();
            }
        }
        if (isCustom(apiVersion) && pod.getSpec().getContainersCount() == 0) {
            return null;
        }
        if (!found) {
            FieldPath missing = object;
            for (String name : template) {
                missing = missing.field(name);
            }
            throw fields.wrong(missing, "must not be missing");
        }
        PodDefaults.apply(pod.getSpecBuilder());
        if (kind.equals("DaemonSet")) {
            addTolerations(pod.getSpecBuilder());
        }
        // Controllers ignore the name in a template.
        ObjectMeta.Builder metadata = pod.getMetadataBuilder().clearName();
        if (metadata.getNamespace().isEmpty()) {
            metadata.setNamespace(owner.getNamespace());
        }
        if (!owner.getName().isEmpty()) {
            metadata.setGenerateName(owner.getName() + "-");
        }
        LabelSelector selector = selectorIn(spec, kind, metadata.getLabelsMap());
        if (kind.equals("Deployment") || kind.equals("Rollout")) {
            String prefix = owner.getName().isEmpty() ? "" : owner.getName() + "-";
            metadata.addOwnerReferences(controlledBy(REPLICA_SETS, "ReplicaSet", prefix + NEXT_REVISION));
        } else if (!owner.getName().isEmpty() && !INDIRECT.contains(kind)) {
            metadata.addOwnerReferences(controlledBy(apiVersion, kind, owner.getName()));
        }
        if (!kind.equals("Deployment")
                && (!CONTROLLERS.contains(kind) || owner.getName().isEmpty())) {
            selector = null;
        }
        Map<String, String> added = addLabels(kind, owner.getName(), metadata);
        return new PodManifest(kind, pod.build(), added, selector, rollout == null ? null : rollout.strategy);
    }

    /** Whether the API group is not one of Kubernetes' own: these have a dot, and do not end in k8s.io. */
    static boolean isCustom(@Nullable String apiVersion) {
        String group = apiVersion == null ? "" : apiVersion.substring(0, Math.max(0, apiVersion.indexOf('/')));
        return group.contains(".") && !group.endsWith(".k8s.io");
    }

    private static OwnerReference controlledBy(String apiVersion, String kind, String name) {
        return OwnerReference.newBuilder()
                .setApiVersion(apiVersion)
                .setKind(kind)
                .setName(name)
                .setController(true)
                .build();
    }

    /**
     * A builder for the selector in the spec of an object of {@code kind}; null if default constraints do not use it.
     */
    private static Message.@Nullable Builder selecting(String kind) {
        return switch (kind) {
            // All three have the same field.
            case "Deployment", "ReplicaSet", "StatefulSet" -> ReplicaSetSpec.newBuilder();
            case "ReplicationController" -> ReplicationControllerSpec.newBuilder();
            default -> null;
        };
    }

    /**
     * The selector. A Deployment or ReplicationController without one gets the labels of its template, as API servers
     * do or used to do.
     */
    private static @Nullable LabelSelector selectorIn(
            Message.@Nullable Builder spec, String kind, Map<String, String> templateLabels) {
        LabelSelector ofTemplate =
                LabelSelector.newBuilder().putAllMatchLabels(templateLabels).build();
        if (spec instanceof ReplicationControllerSpec.Builder its) {
            return its.getSelectorCount() == 0
                    ? ofTemplate
                    : LabelSelector.newBuilder()
                            .putAllMatchLabels(its.getSelectorMap())
                            .build();
        }
        if (spec instanceof ReplicaSetSpec.Builder its && its.hasSelector()) {
            return its.getSelector();
        }
        return kind.equals("Deployment") ? ofTemplate : null;
    }

    /** Whether {@code set} is the ReplicaSet of a Deployment's current revision, as the two templates show it. */
    static boolean isRevision(PodManifest set, PodManifest deployment) {
        if (!deployment.kind().equals("Deployment") || !set.kind().equals("ReplicaSet")) {
            return false;
        }
        ObjectMeta of = set.pod().getMetadata();
        ObjectMeta wanted = deployment.pod().getMetadata();
        String hash = of.getLabelsOrDefault(TEMPLATE_HASH, "");
        return of.getGenerateName().equals(wanted.getGenerateName() + hash + "-")
                && of.getNamespace().equals(wanted.getNamespace())
                && set.pod().getSpec().equals(deployment.pod().getSpec())
                && withoutHash(of).equals(withoutHash(wanted));
    }

    private static Map<String, String> withoutHash(ObjectMeta metadata) {
        Map<String, String> labels = new HashMap<>(metadata.getLabelsMap());
        labels.remove(TEMPLATE_HASH);
        return labels;
    }

    /** The selector of a pod's controller. A ReplicaSet that does not exist yet also gets the hash of the pod. */
    static LabelSelector controllerSelector(LabelSelector selector, Map<String, String> newLabels) {
        String hash = newLabels.get(TEMPLATE_HASH);
        return hash == null
                ? selector
                : selector.toBuilder().putMatchLabels(TEMPLATE_HASH, hash).build();
    }

    /** Adds the tolerations that the controller of a DaemonSet adds to each pod. */
    private static void addTolerations(PodSpec.Builder pod) {
        Stream.of("not-ready", "unreachable").forEach(taint -> tolerate(pod, taint, "NoExecute"));
        Stream.of("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
                .forEach(taint -> tolerate(pod, taint, "NoSchedule"));
        if (pod.getHostNetwork()) {
            tolerate(pod, "network-unavailable", "NoSchedule");
        }
    }

    private static void tolerate(PodSpec.Builder pod, String taint, String effect) {
        pod.addTolerationsBuilder()
                .setKey("node.kubernetes.io/" + taint)
                .setOperator("Exists")
                .setEffect(effect);
    }

    /** Adds the labels that a controller will add. Returns those whose value is a placeholder. */
    private static Map<String, String> addLabels(String kind, String name, ObjectMeta.Builder metadata) {
        Map<String, String> added = new HashMap<>();
        // The template of an existing Job already has these labels.
        boolean keep = kind.equals("Job");
        for (String key : NEW_LABELS.getOrDefault(kind, List.of())) {
            if (!keep || !metadata.containsLabels(key)) {
                added.put(key, kind.endsWith("Job") ? NEXT_RUN : NEXT_REVISION);
            }
        }
        metadata.putAllLabels(added);
        if (kind.equals("Job") && !name.isEmpty()) {
            NAMES_OF_JOB.forEach(key -> metadata.putLabels(key, name));
        }
        return added;
    }

    /**
     * Follows {@code path} from the current value, and fills the pod from the template there.
     *
     * @param spec receives the selector next to the template, if any; or null
     * @param rollout receives the strategy next to the template; or null
     */
    private static boolean fillTemplate(
            TokenReader fields,
            List<String> path,
            Pod.Builder pod,
            Message.@Nullable Builder spec,
            @Nullable Rollout rollout)
            throws IOException {
        fields.expectObject();
        if (path.isEmpty()) {
            new MessageFiller(fields, false).fill(pod);
            return true;
        }
        int claims = 0;
        boolean found = false;
        for (String name = fields.nextField(); name != null; name = fields.nextField()) {
            if (name.equals(path.get(0))) {
                found = fillTemplate(fields, path.subList(1, path.size()), pod, spec, rollout);
            } else if (name.equals("volumeClaimTemplates") && fields.isAt(JsonToken.START_ARRAY)) {
                while (fields.nextElement()) {
                    fields.skipValue();
                    claims++;
                }
            } else if (spec != null && name.equals("selector")) {
                new MessageFiller(fields, false).fillField(spec, MessageShape.of(spec.getDescriptorForType()), name);
            } else if (rollout != null && RolloutStrategy.isField(name)) {
                rollout.strategy = rollout.strategy.read(name, fields);
            } else {
                fields.skipValue();
            }
        }
        // The set creates a claim from each template for each of its pods. The template of the pod may come later.
        for (int i = 0; i < claims; i++) {
            pod.getSpecBuilder().addVolumesBuilder().getVolumeSourceBuilder().getPersistentVolumeClaimBuilder();
        }
        return found;
    }
}
