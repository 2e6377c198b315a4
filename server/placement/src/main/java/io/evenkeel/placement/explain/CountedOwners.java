package io.evenkeel.placement.explain;

import io.evenkeel.engine.explain.Explanation.Counted;
import io.evenkeel.engine.explain.Explanation.PodsAlike;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.objects.TemplateReader;
import io.evenkeel.v1.CountedPods;
import io.evenkeel.v1.CountedPods.Relation;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Relates the owners of counted pods to the workload of the pod in question. */
final class CountedOwners {
    private static final int MAX_NAMED = 40;

    /** The labels of revisions, and the kind of the workload whose ReplicaSets are named after them. */
    private static final Map<String, String> REVISIONS = Map.of(
            "pod-template-hash", "Deployment", "rollouts-pod-template-hash", "Rollout", "controller-revision-hash", "");

    private static final List<String> JOB_NAMES = List.of("batch.kubernetes.io/job-name", "job-name");

    /** A CronJob names its Jobs after the minute of their run. */
    private static final Pattern JOB_OF_CRON_JOB = Pattern.compile("(.+)-\\d{8,10}");

    private final Owner own;

    /**
     * A workload and its revision.
     *
     * @param kind empty if there is no owner
     * @param revision empty if there is none
     * @param ofJob whether the pods belong to a Job
     */
    private record Owner(String kind, String name, String revision, boolean ofJob) {
        boolean isSameWorkload(Owner other) {
            return kind.equals(other.kind) && name.equals(other.name);
        }
    }

    /** @param pod the pod in question */
    CountedOwners(Pod pod) {
        own = owner(pod.getMetadata());
    }

    /** Whether the pod in question is one of a revision of a workload. */
    boolean hasRevision() {
        return !own.revision.isEmpty();
    }

    /** The label by which revisions of the workload of the pod differ; null if it has none. */
    static @Nullable String revisionKey(Map<String, String> labels) {
        return REVISIONS.keySet().stream()
                .filter(labels::containsKey)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    private static Owner owner(ObjectMeta metadata) {
        Map<String, String> labels = metadata.getLabelsMap();
        String key = revisionKey(labels);
        String revision = key == null ? "" : labels.getOrDefault(key, "");
        OwnerReference controller = metadata.getOwnerReferencesList().stream()
                .filter(OwnerReference::getController)
                .findFirst()
                .orElse(null);
        if (controller == null || controller.getName().isEmpty()) {
            String job = JOB_NAMES.stream()
                    .map(labels::get)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse("");
            return job.isEmpty() ? new Owner("", "", revision, false) : ofJob(job);
        }
        String name = controller.getName();
        String kind = controller.getKind();
        if (kind.equals("Job")) {
            return ofJob(name);
        }
        if (kind.equals("ReplicaSet") && key != null && name.endsWith("-" + revision)) {
            String above = REVISIONS.getOrDefault(key, "");
            return new Owner(
                    above.isEmpty() ? kind : above,
                    name.substring(0, name.length() - revision.length() - 1),
                    revision,
                    false);
        }
        return new Owner(kind, name, revision, false);
    }

    private static Owner ofJob(String name) {
        Matcher ofCronJob = JOB_OF_CRON_JOB.matcher(name);
        return ofCronJob.matches()
                ? new Owner("CronJob", ofCronJob.group(1), "", true)
                : new Owner("Job", name, "", true);
    }

    /** The counted pods by owner, the largest number first. */
    List<CountedPods> of(Counted counted, @Nullable PodSelector selector) {
        Map<CountedPods, Long> pods = new LinkedHashMap<>();
        for (PodsAlike group : counted.groups()) {
            pods.merge(described(group, selector), (long) group.pods(), Long::sum);
        }
        if (counted.added() > 0) {
            pods.put(
                    CountedPods.newBuilder()
                            .setRelation(Relation.RELATION_ADDED)
                            .build(),
                    (long) counted.added());
        }
        List<CountedPods> sorted = sorted(pods);
        if (sorted.size() <= MAX_NAMED) {
            return sorted;
        }
        Map<CountedPods, Long> shortened = new LinkedHashMap<>();
        for (int i = 0; i < sorted.size(); i++) {
            CountedPods each = sorted.get(i);
            CountedPods shown = i < MAX_NAMED
                    ? each.toBuilder().clearPodCount().build()
                    : CountedPods.newBuilder().setRelation(each.getRelation()).build();
            shortened.merge(shown, each.getPodCount(), Long::sum);
        }
        return sorted(shortened);
    }

    private static List<CountedPods> sorted(Map<CountedPods, Long> pods) {
        return pods.entrySet().stream()
                .map(each ->
                        each.getKey().toBuilder().setPodCount(each.getValue()).build())
                .sorted(Comparator.comparingLong(CountedPods::getPodCount)
                        .reversed()
                        .thenComparing(CountedPods::getRelation)
                        .thenComparing(CountedPods::getKind)
                        .thenComparing(CountedPods::getName)
                        .thenComparing(CountedPods::getRevision)
                        .thenComparing(CountedPods::getLabels))
                .toList();
    }

    private CountedPods described(PodsAlike group, @Nullable PodSelector selector) {
        StoredPod example = group.example();
        Owner owner = owner(TemplateReader.pod(example).getMetadata());
        return CountedPods.newBuilder()
                .setRelation(relation(owner, group.likeIncoming()))
                .setKind(owner.kind)
                .setName(owner.name)
                .setRevision(owner.revision)
                .setLabels(labels(example.labels(), selector))
                .build();
    }

    private Relation relation(Owner owner, boolean likeIncoming) {
        boolean orphans = owner.kind.isEmpty();
        boolean isSameWorkload = orphans
                ? own.kind.isEmpty() && !owner.revision.isEmpty() && !own.revision.isEmpty() && likeIncoming
                : owner.isSameWorkload(own);
        if (isSameWorkload) {
            return own.revision.isEmpty() || owner.revision.equals(own.revision)
                    ? Relation.RELATION_SAME_REVISION
                    : Relation.RELATION_OTHER_REVISION;
        }
        if (orphans) {
            return Relation.RELATION_NO_OWNER;
        }
        return owner.ofJob ? Relation.RELATION_JOB : Relation.RELATION_OTHER_WORKLOAD;
    }

    private static String labels(Map<String, String> labels, @Nullable PodSelector selector) {
        return selector == null
                ? ""
                : selector.requirements().stream()
                        .map(LabelRequirement::key)
                        .filter(labels::containsKey)
                        .distinct()
                        .map(key -> key + "=" + labels.get(key))
                        .collect(Collectors.joining(","));
    }
}
