package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.v1.ReasonCount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many candidates of an answer each of kube-scheduler's messages excludes, largest count first. Equal counts are in
 * the order of the rules.
 */
public final class ExclusionCounts {
    private static final int SHORT = 64;
    private static final Reason[] REASONS = Reason.values();

    private record Count(Reason reason, String message, int nodes) {}

    private final Answer answer;
    private final List<Count> counts = new ArrayList<>();

    public ExclusionCounts(Answer answer) {
        this.answer = answer;
        for (Reason reason : REASONS) {
            switch (reason) {
                case RESOURCES_OF_NODE -> {
                    // Counted together with FREE_RESOURCES, by what is short.
                }
                case FREE_RESOURCES -> addShortages();
                default -> add(reason, reason.text(), answer.excludedBy(reason));
            }
        }
        counts.sort(Comparator.comparingInt(Count::nodes).reversed());
    }

    private void addShortages() {
        List<String> messages = answer.shortages();
        for (int kind = 0; kind < messages.size(); kind++) {
            add(Reason.FREE_RESOURCES, messages.get(kind), answer.shortageCount(kind));
        }
    }

    private void add(Reason reason, String message, int nodes) {
        if (nodes > 0) {
            counts.add(new Count(reason, message, nodes));
        }
    }

    /** Writes them as ReasonCounts. */
    void write(int field, WireOutput out) {
        for (Count count : counts) {
            out.open(field, SHORT);
            out.number(
                    ReasonCount.REASON_FIELD_NUMBER, NodeCodes.of(count.reason).getNumber());
            out.text(ReasonCount.MESSAGE_FIELD_NUMBER, count.message);
            out.number(ReasonCount.NODE_COUNT_FIELD_NUMBER, count.nodes);
            out.close();
        }
    }

    /** The summary for these counts; see {@link FitSummary}. */
    public String summary(int unjudged) {
        Map<String, Integer> nodes = new TreeMap<>();
        counts.forEach(count -> nodes.put(count.message, count.nodes));
        return FitSummary.of(answer.passedCount(), answer.candidateCount(), nodes, UnjudgedRules.names(unjudged));
    }
}
