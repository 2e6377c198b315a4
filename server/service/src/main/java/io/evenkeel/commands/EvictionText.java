package io.evenkeel.commands;

import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.TextTable;
import io.evenkeel.eviction.EvictedBatch;
import io.evenkeel.eviction.Eviction;
import io.evenkeel.eviction.EvictionOutcome;
import io.evenkeel.v1.RebalanceResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Shows what was evicted. */
final class EvictionText {
    private EvictionText() {}

    static String of(EvictedBatch batch) {
        StringBuilder text = new StringBuilder("\nBatch " + batch.number() + "\n");
        TextTable table = new TextTable(0)
                .left("EVICTED")
                .left("FROM")
                .left("PREDICTED")
                .left("REPLACEMENT")
                .left("NODE");
        for (Eviction each : batch.evictions()) {
            table.row(
                    each.pod(),
                    each.from(),
                    each.predicted(),
                    Objects.requireNonNullElse(each.replacement(), "(none)"),
                    each.node().isEmpty() && each.replacement() != null ? "(pending)" : each.node());
        }
        table.appendTo(text);
        return text.toString();
    }

    static String of(EvictionOutcome outcome, RebalanceResponse first) {
        StringBuilder text = new StringBuilder("\n");
        RebalanceResponse last = outcome.last();
        if (outcome.evicted() > 0) {
            Paragraphs.append(
                    text,
                    0,
                    "Evicted " + count(outcome.evicted(), "pod") + " in "
                            + (outcome.batches().size() == 1
                                    ? "1 batch"
                                    : outcome.batches().size() + " batches")
                            + ". Replacements on the predicted node: " + outcome.asPredicted()
                            + ". Constraints exceeded maxSkew by " + first.getExcessBefore()
                            + " in all before"
                            + (last == null ? "." : ", and exceed it by " + last.getExcessBefore() + " now."));
        }
        if (outcome.stop() != null) {
            Paragraphs.append(text, 0, "Stopped: " + outcome.stop());
        }
        return text.toString();
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    static Map<String, Object> json(EvictionOutcome outcome, RebalanceResponse first) {
        List<Map<String, Object>> batches = new ArrayList<>();
        for (EvictedBatch batch : outcome.batches()) {
            batches.add(Map.of(
                    "evictions",
                    batch.evictions().stream().map(EvictionText::json).toList()));
        }
        Map<String, Object> document = new TreeMap<>(Map.of(
                "excessBefore", first.getExcessBefore(),
                "batches", batches,
                "evicted", outcome.evicted(),
                "asPredicted", outcome.asPredicted(),
                "stopped", Objects.requireNonNullElse(outcome.stop(), "")));
        RebalanceResponse last = outcome.last();
        if (last != null) {
            document.put("excessAfter", last.getExcessBefore());
            document.put("unrepaired", last.getUnrepairedList());
            if (last.hasUnreadable()) {
                document.put("unreadable", last.getUnreadable());
            }
        }
        return document;
    }

    private static Map<String, Object> json(Eviction each) {
        return new TreeMap<>(Map.of(
                "pod", each.pod(),
                "from", each.from(),
                "predicted", each.predicted(),
                "replacement", Objects.requireNonNullElse(each.replacement(), ""),
                "node", each.node()));
    }
}
