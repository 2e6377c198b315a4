package io.evenkeel.cli;

import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.PodSchedulingGate;
import io.evenkeel.v1.UnjudgedRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a pending pod's own spec and status say about its scheduling, as sentences. Immutable. */
final class PodState {
    /** Nothing is known about the pod's status. */
    static final PodState UNKNOWN = new PodState(Pod.getDefaultInstance());

    private static final String SCHEDULED = "PodScheduled";
    private static final String GATED = "SchedulingGated";

    /** Parts of kube-scheduler's messages for rules that are not judged. */
    private static final Map<String, UnjudgedRule> NOT_JUDGED = Map.of(
            "volume", UnjudgedRule.UNJUDGED_RULE_VOLUMES,
            "no available disk", UnjudgedRule.UNJUDGED_RULE_VOLUMES,
            "pod affinity", UnjudgedRule.UNJUDGED_RULE_POD_AFFINITY,
            "anti-affinity", UnjudgedRule.UNJUDGED_RULE_POD_ANTI_AFFINITY,
            "resourceclaim", UnjudgedRule.UNJUDGED_RULE_DYNAMIC_RESOURCES,
            "cannot allocate all claims", UnjudgedRule.UNJUDGED_RULE_DYNAMIC_RESOURCES);

    private final Pod pod;

    /** @param pod the pod as it was read, with its status */
    PodState(Pod pod) {
        this.pod = pod;
    }

    /** Why no scheduler considers the pod at all; empty if it may. */
    String held() {
        if (isPlaced() || pod.getSpec().getSchedulingGatesCount() == 0) {
            return "";
        }
        String gates = pod.getSpec().getSchedulingGatesList().stream()
                .map(PodSchedulingGate::getName)
                .collect(Collectors.joining(", "));
        return "Held by scheduling gates: " + gates
                + ". No scheduler considers the pod until these are removed; the answer is what would apply then.";
    }

    private boolean isPlaced() {
        return !pod.getSpec().getNodeName().isEmpty();
    }

    /**
     * The scheduler's own view of the pod, compared with the answer.
     *
     * @param summary the first sentence of the answer
     * @param rules the rules that were not judged
     */
    List<String> compared(String summary, List<String> rules) {
        List<String> sentences = new ArrayList<>();
        if (isPlaced()) {
            return sentences;
        }
        if (pod.getMetadata().getOwnerReferencesList().stream()
                .anyMatch(owner -> owner.getController() && owner.getKind().equals("DaemonSet"))) {
            sentences.add(
                    "A DaemonSet creates a pod for each node and restricts it to that node, so each node's line is the"
                            + " answer for its own pod.");
        }
        PodCondition condition = unscheduled();
        if (condition != null) {
            sentences.add("The pod's PodScheduled condition: " + condition.getMessage());
            if (!agrees(said(condition.getMessage()), summary)) {
                sentences.add(whyDifferent(condition.getMessage(), summary, rules));
            }
        }
        String nominated = pod.getStatus().getNominatedNodeName();
        if (!nominated.isEmpty()) {
            sentences.add(
                    "Nominated node: " + nominated + ". The scheduler makes room for the pod there by preemption.");
        }
        return sentences;
    }

    private @Nullable PodCondition unscheduled() {
        return pod.getStatus().getConditionsList().stream()
                .filter(each -> each.getType().equals(SCHEDULED)
                        && !each.getStatus().equals("True")
                        && !each.getReason().equals(GATED)
                        && !each.getMessage().isEmpty())
                .findFirst()
                .orElse(null);
    }

    /** The part of the message that an answer's first sentence corresponds to: without the words about preemption. */
    private static String said(String message) {
        int end = message.indexOf(". ");
        return end < 0 ? message : message.substring(0, end + 1);
    }

    /**
     * Whether both name the same counts and reasons. If there are rules that are not judged, the summary has other
     * words.
     */
    private static boolean agrees(String said, String summary) {
        boolean isSameCount = said.startsWith(summary.substring(0, summary.indexOf(' ') + 1));
        return said.equals(summary)
                || isSameCount && !reasons(said).isEmpty() && reasons(said).equals(reasons(summary));
    }

    /** The reasons that a message names, each with its number of nodes. */
    private static List<String> reasons(String message) {
        int excluded = message.indexOf("excluded: ");
        int from = excluded < 0 ? message.indexOf(": ") : message.indexOf(": ", excluded);
        return from < 0
                ? List.of()
                : List.of(message.substring(from + 2).replaceFirst("[.]$", "").split(", "));
    }

    private static String whyDifferent(String message, String summary, List<String> rules) {
        String said = said(message);
        String parts = reasons(said).stream()
                .filter(part -> !reasons(summary).contains(part))
                .collect(Collectors.joining(", "));
        List<String> because = new ArrayList<>(UnjudgedRules.names(NOT_JUDGED.entrySet().stream()
                .filter(each -> said.contains(each.getKey()))
                .map(Map.Entry::getValue)));
        if (rules.contains("resources") && said.contains("Insufficient")) {
            because.add("resources");
        }
        if (rules.contains("ports") && said.contains("free ports")) {
            because.add("ports");
        }
        return "It differs from the answer here"
                + (parts.isEmpty() ? "" : " in: " + parts)
                + (because.isEmpty() ? ". " : "; it does not judge " + String.join(" and ", because) + ". ")
                + "The message may also be older than the state of the cluster.";
    }
}
