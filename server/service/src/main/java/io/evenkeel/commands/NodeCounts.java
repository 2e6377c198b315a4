package io.evenkeel.commands;

import io.evenkeel.cli.TextTable;
import io.evenkeel.v1.ScheduleResponse;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many pods were placed on each node. */
final class NodeCounts {
    private final Map<String, Integer> pods = new LinkedHashMap<>();

    /** The counts of pods that were placed. */
    static NodeCounts of(ScheduleResponse schedule) {
        NodeCounts counts = new NodeCounts();
        counts.add(schedule);
        return counts;
    }

    void add(ScheduleResponse schedule) {
        schedule.getPlacementsList().forEach(node -> add(schedule.getNodes(node)));
    }

    void add(String node) {
        add(node, 1);
    }

    void add(String node, int count) {
        pods.merge(node, count, Integer::sum);
    }

    int of(String node) {
        return pods.getOrDefault(node, 0);
    }

    /** The counts by the names of nodes. */
    Map<String, Integer> byNode() {
        return pods;
    }

    /** Appends a table, the nodes with the most pods first; nothing if there is none. */
    void appendTo(StringBuilder text, int maxRows) {
        if (pods.isEmpty()) {
            return;
        }
        List<Map.Entry<String, Integer>> sorted = pods.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<String, Integer> each) -> -each.getValue())
                        .thenComparing(Map.Entry::getKey))
                .toList();
        TextTable table = new TextTable(2).left("NODE").right("PODS");
        sorted.forEach(each -> table.row(each.getKey(), each.getValue()));
        table.appendTo(text, maxRows);
    }
}
