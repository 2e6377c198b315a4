package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeReason;
import io.evenkeel.v1.ReasonCount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Why candidates of an answer are excluded, in the terms of the protocol: how many of them each of kube-scheduler's
 * messages excludes, largest count first. Equal counts are in the order of the rules.
 */
public final class NodeReasons {
    private static final int SHORT = 64;
    private static final Reason[] REASONS = Reason.values();

    private record Count(Reason reason, String message, int nodes) {}

    private final Answer answer;
    private final List<Count> counts = new ArrayList<>();

    public NodeReasons(Answer answer) {
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
            out.number(ReasonCount.REASON_FIELD_NUMBER, of(count.reason).getNumber());
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

    public static NodeCode code(VerdictCode code) {
        return switch (code) {
            case SUCCESS -> NodeCode.NODE_CODE_SUCCESS;
            case UNSCHEDULABLE -> NodeCode.NODE_CODE_UNSCHEDULABLE;
            case UNSCHEDULABLE_AND_UNRESOLVABLE -> NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE;
        };
    }

    public static NodeReason of(Reason reason) {
        return switch (reason) {
            case NODE_NAMES_CONFLICT, NOT_NAMED_BY_AFFINITY -> NodeReason.NODE_REASON_NODE_NAMES;
            case UNSCHEDULABLE -> NodeReason.NODE_REASON_UNSCHEDULABLE;
            case NODE_NAME -> NodeReason.NODE_REASON_NODE_NAME;
            case UNTOLERATED_TAINT -> NodeReason.NODE_REASON_UNTOLERATED_TAINT;
            case NODE_AFFINITY -> NodeReason.NODE_REASON_NODE_AFFINITY;
            case HOST_PORTS -> NodeReason.NODE_REASON_HOST_PORTS;
            case RESOURCES_OF_NODE, FREE_RESOURCES -> NodeReason.NODE_REASON_RESOURCES;
            case MISSING_LABEL -> NodeReason.NODE_REASON_MISSING_LABEL;
            case SKEW -> NodeReason.NODE_REASON_MAX_SKEW;
        };
    }
}
