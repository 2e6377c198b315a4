package io.evenkeel.placement.explain;

import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.WorkloadReference;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The workload and the revision that a pod belongs to: the topmost controller that its owner references and labels
 * show.
 *
 * @param kind empty if there is no owner
 * @param revision empty if there is none
 * @param ofJob whether the pods belong to a Job
 */
public record PodOwner(String kind, String name, String revision, boolean ofJob) {
    /** The labels of revisions, and the kind of the workload whose ReplicaSets are named after them. */
    private static final Map<String, String> REVISIONS = Map.of(
            "pod-template-hash", "Deployment", "rollouts-pod-template-hash", "Rollout", "controller-revision-hash", "");

    private static final List<String> REVISION_KEYS =
            REVISIONS.keySet().stream().sorted().toList();

    private static final List<String> JOB_NAMES = List.of("batch.kubernetes.io/job-name", "job-name");

    /**
     * A CronJob names its Jobs after the scheduled minute, counted from 1970: 25,000,000 was in 2017, and 49,999,999
     * will be in 2065. Dates such as 20261130 are lower.
     */
    private static final Pattern JOB_OF_CRON_JOB = Pattern.compile("(.+)-(?:2[5-9]|[34]\\d)\\d{6}");

    /** The owner of a pod. */
    public static PodOwner of(ObjectMeta metadata) {
        return of(metadata, metadata.getLabelsMap());
    }

    /** @param labels those of the pod, which {@code metadata} may lack */
    static PodOwner of(ObjectMeta metadata, Map<String, String> labels) {
        String key = revisionKey(labels);
        String revision = key == null ? "" : labels.getOrDefault(key, "");
        OwnerReference controller = controller(metadata);
        if (controller == null || controller.getName().isEmpty()) {
            String job = JOB_NAMES.stream()
                    .map(labels::get)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse("");
            return job.isEmpty() ? new PodOwner("", "", revision, false) : ofJob(job);
        }
        String name = controller.getName();
        String kind = controller.getKind();
        if (kind.equals("Job")) {
            return ofJob(name);
        }
        if (kind.equals("ReplicaSet") && key != null && name.endsWith("-" + revision)) {
            String above = REVISIONS.getOrDefault(key, "");
            return new PodOwner(
                    above.isEmpty() ? kind : above,
                    name.substring(0, name.length() - revision.length() - 1),
                    revision,
                    false);
        }
        return new PodOwner(kind, name, revision, false);
    }

    /** The owner that is the controller; null if there is none. */
    static @Nullable OwnerReference controller(ObjectMeta metadata) {
        for (OwnerReference owner : metadata.getOwnerReferencesList()) {
            if (owner.getController()) {
                return owner;
            }
        }
        return null;
    }

    private static PodOwner ofJob(String name) {
        Matcher ofCronJob = JOB_OF_CRON_JOB.matcher(name);
        return ofCronJob.matches()
                ? new PodOwner("CronJob", ofCronJob.group(1), "", true)
                : new PodOwner("Job", name, "", true);
    }

    /** The label by which revisions of the workload of the pod differ; null if it has none. */
    static @Nullable String revisionKey(Map<String, String> labels) {
        for (String key : REVISION_KEYS) {
            if (labels.containsKey(key)) {
                return key;
            }
        }
        return null;
    }

    /** The keys of the labels on which owners depend. */
    static Set<String> labelKeys() {
        Set<String> keys = new HashSet<>(REVISIONS.keySet());
        keys.addAll(JOB_NAMES);
        return keys;
    }

    /** The workload that a request names. */
    public static WorkloadName named(WorkloadReference workload) {
        return new WorkloadName(workload.getNamespace(), workload.getKind(), workload.getName());
    }

    /** The workload; null if there is none. The controller of a static pod is its node, which is no workload. */
    public @Nullable WorkloadName workload(String namespace) {
        return kind.isEmpty() || name.isEmpty() || kind.equals("Node") ? null : new WorkloadName(namespace, kind, name);
    }

    boolean isSameWorkload(PodOwner other) {
        return kind.equals(other.kind) && name.equals(other.name);
    }
}
