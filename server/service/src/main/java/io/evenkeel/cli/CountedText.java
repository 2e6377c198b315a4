package io.evenkeel.cli;

import io.evenkeel.v1.CountedPods;
import io.evenkeel.v1.CountedPods.Relation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Names the owners of the pods that a constraint counts. For example {@code Counted: 2 of this revision of Deployment
 * web; 1 of Jobs (Job a).}
 */
final class CountedText {
    private static final int MAX_NAMES = 6;

    private final Map<Relation, List<CountedPods>> byRelation = new EnumMap<>(Relation.class);

    CountedText(List<CountedPods> counted) {
        counted.forEach(each -> byRelation
                .computeIfAbsent(each.getRelation(), relation -> new ArrayList<>())
                .add(each));
    }

    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        byRelation.forEach((relation, pods) -> {
            long count = pods.stream().mapToLong(CountedPods::getPodCount).sum();
            parts.add(count + " " + text(relation, pods));
        });
        return "Counted: " + String.join("; ", parts) + ".";
    }

    private static String text(Relation relation, List<CountedPods> pods) {
        CountedPods first = pods.get(0);
        String workload = first.getName().isEmpty() ? "the same workload" : name(first);
        return switch (relation) {
            case RELATION_SAME_REVISION ->
                "of " + (first.getRevision().isEmpty() ? "" : "this revision of ") + workload;
            case RELATION_OTHER_REVISION ->
                "of other revisions of " + workload + " ("
                        + names(pods.stream().map(CountedPods::getRevision).toList()) + ")";
            case RELATION_OTHER_WORKLOAD, RELATION_JOB ->
                "of " + (relation == Relation.RELATION_JOB ? "Jobs" : "other workloads") + " ("
                        + each(pods, pods.stream().map(CountedText::name).toList()) + ")";
            case RELATION_NO_OWNER ->
                "without an owner ("
                        + each(pods, pods.stream().map(CountedPods::getLabels).toList()) + ")";
            case RELATION_ADDED -> "hypothetical";
            default -> "others";
        };
    }

    /** The names and, if there are several, how many pods each has. */
    private static String each(List<CountedPods> pods, List<String> named) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < pods.size(); i++) {
            String name = named.get(i).isEmpty() ? "others" : named.get(i);
            texts.add(pods.size() == 1 ? name : pods.get(i).getPodCount() + " " + name);
        }
        return names(texts);
    }

    private static String name(CountedPods pods) {
        return pods.getName().isEmpty() ? "" : pods.getKind() + " " + pods.getName();
    }

    private static String names(List<String> all) {
        List<String> distinct =
                all.stream().filter(each -> !each.isEmpty()).distinct().toList();
        String names = distinct.stream().limit(MAX_NAMES).collect(Collectors.joining(", "));
        return distinct.size() <= MAX_NAMES ? names : names + " and " + (distinct.size() - MAX_NAMES) + " more";
    }
}
