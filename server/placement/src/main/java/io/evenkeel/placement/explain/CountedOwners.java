package io.evenkeel.placement.explain;

import io.evenkeel.engine.explain.Explanation.Counted;
import io.evenkeel.engine.explain.Explanation.PodsAlike;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.objects.TemplateReader;
import io.evenkeel.v1.CountedPods;
import io.evenkeel.v1.CountedPods.Relation;
import io.evenkeel.v1.Pod;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Relates the owners of counted pods to the workload of the pod in question. */
final class CountedOwners {
    private static final int MAX_NAMED = 40;

    private final PodOwner own;

    /** @param pod the pod in question */
    CountedOwners(Pod pod) {
        own = PodOwner.of(pod.getMetadata());
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
        PodOwner owner = PodOwner.of(TemplateReader.pod(example).getMetadata());
        return CountedPods.newBuilder()
                .setRelation(relation(owner, group.likeIncoming()))
                .setKind(owner.kind())
                .setName(owner.name())
                .setRevision(owner.revision())
                .setLabels(labels(example.labels(), selector))
                .build();
    }

    private Relation relation(PodOwner owner, boolean likeIncoming) {
        boolean orphans = owner.kind().isEmpty();
        boolean isSameWorkload = orphans
                ? own.kind().isEmpty()
                        && !owner.revision().isEmpty()
                        && !own.revision().isEmpty()
                        && likeIncoming
                : owner.isSameWorkload(own);
        if (isSameWorkload) {
            return own.revision().isEmpty() || owner.revision().equals(own.revision())
                    ? Relation.RELATION_SAME_REVISION
                    : Relation.RELATION_OTHER_REVISION;
        }
        if (orphans) {
            return Relation.RELATION_NO_OWNER;
        }
        return owner.ofJob() ? Relation.RELATION_JOB : Relation.RELATION_OTHER_WORKLOAD;
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
