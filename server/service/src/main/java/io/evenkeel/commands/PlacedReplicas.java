package io.evenkeel.commands;

import io.evenkeel.cli.Paragraphs;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Session;
import io.evenkeel.v1.Existence;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.PlaceGroupRequest;
import io.evenkeel.v1.PlaceGroupResponse;
import io.evenkeel.v1.PlacementRule;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodStep;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledItem;
import io.evenkeel.v1.ScheduledPods;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes to which more replicas of a pod go, one after another.
 *
 * @param group whether another order or placing all at once helps; null if all are placed or there are too many
 */
record PlacedReplicas(
        PodWorkload workload,
        int count,
        ScheduleResponse schedule,
        SpreadChange spread,
        @Nullable PlaceGroupResponse group) {
    /** A group of more pods can take long. */
    private static final int MAX_GROUP = 1_000;

    /** Places the replicas in a session, which is closed afterwards. */
    static PlacedReplicas of(PlacementClient client, Pod subject, int count, PlacementRule rule) {
        Pod pod = PodKinds.common(subject);
        try (Session session = client.openSession()) {
            ExplainResponse before = SpreadChange.in(session, pod, 1);
            session.fork();
            ScheduleResponse schedule = place(
                    client,
                    session,
                    rule,
                    ScheduledPods.newBuilder().setPod(pod).setCount(count).build());
            SpreadChange spread = new SpreadChange(before, SpreadChange.in(session, pod, 1));
            session.revert();
            boolean isComplete = schedule.getPlacementsCount() == count;
            PlaceGroupResponse group = isComplete || count > MAX_GROUP
                    ? null
                    : client.placeGroup(PlaceGroupRequest.newBuilder()
                            .setSession(session.id())
                            .addPods(PendingPods.newBuilder().setPod(pod).setCount(count))
                            .build());
            return new PlacedReplicas(PodWorkload.of(subject), count, schedule, spread, group);
        }
    }

    /**
     * Places equal pods in a session, and returns the answer without its revision.
     *
     * @throws PlacementException if the pod is invalid
     */
    static ScheduleResponse place(PlacementClient client, Session session, PlacementRule rule, ScheduledPods pods) {
        ScheduleResponse response = client.schedule(ScheduleRequest.newBuilder()
                .setSession(session.id())
                .setRule(rule)
                .addPods(pods)
                .build());
        if (response.getItems(0).hasError()) {
            throw PlacementException.of(response.getItems(0).getError());
        }
        return response.toBuilder().clearRevision().build();
    }

    Map<String, ?> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("workload", workload.toString());
        fields.put("replicas", count);
        fields.put("placed", schedule.getPlacementsCount());
        fields.put("schedule", schedule);
        fields.put("constraints", spread.after().getConstraintsList());
        if (group != null) {
            fields.put("group", group.toBuilder().clearRevision().build());
        }
        return fields;
    }

    String text(int maxRows) {
        StringBuilder text = new StringBuilder();
        int placed = schedule.getPlacementsCount();
        text.append(placed + " of " + count + " more replicas of " + Paragraphs.printable(workload.toString())
                + " find a node, one after another.\n");
        appendReasons(text, schedule.getItems(0));
        UnplacedCauses.appendNotScored(text, schedule.getNotScoredList());
        if (group != null) {
            Paragraphs.append(text, 0, alternative(group));
        }
        if (placed > 0) {
            text.append("\nNodes\n");
            NodeCounts.of(schedule).appendTo(text, maxRows);
        }
        text.append("\nSpread afterwards\n");
        spread.appendTo(text, maxRows);
        return text.toString();
    }

    /** Appends why a pod found no node, and what was not judged. */
    static void appendReasons(StringBuilder text, ScheduledItem item) {
        if (!item.getSummary().isEmpty()) {
            text.append(Paragraphs.printable(item.getSummary())).append('\n');
            Paragraphs.append(text, 0, UnplacedCauses.of(item.getConstraint()));
        }
        UnplacedCauses.appendUnjudged(text, 0, item.getUnjudgedList());
    }

    /** Whether another order, or no order at all, would place all pods. */
    private String alternative(PlaceGroupResponse found) {
        if (found.getOrder() == Existence.EXISTENCE_FOUND) {
            return "In another order, all " + count + " find a node: " + nodes(found) + ".";
        }
        if (found.getEndState() == Existence.EXISTENCE_FOUND) {
            return "All " + count + " satisfy every constraint with " + nodes(found)
                    + ", but "
                    + (found.getOrder() == Existence.EXISTENCE_EXCLUDED
                            ? "no order of placing them one by one leads there."
                            : "no order of placing them one by one was found that leads there.");
        }
        String why = found.getUnplacedList().stream()
                .map(UnplacedCauses::of)
                .findFirst()
                .map(cause -> " What excludes the closest nodes: " + cause)
                .orElse("");
        return (found.getEndState() == Existence.EXISTENCE_EXCLUDED
                        ? "No placement of all " + count + " satisfies every constraint."
                        : "No placement of all " + count + " was found, but it is not proven that there is none.")
                + why;
    }

    private static String nodes(PlaceGroupResponse found) {
        NodeCounts nodes = new NodeCounts();
        found.getStepsList().stream().map(PodStep::getNode).sorted().forEach(nodes::add);
        return nodes.byNode().entrySet().stream()
                .map(each -> each.getValue() + " on " + each.getKey())
                .collect(Collectors.joining(", "));
    }
}
