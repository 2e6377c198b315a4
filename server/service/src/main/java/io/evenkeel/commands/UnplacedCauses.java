package io.evenkeel.commands;

import io.evenkeel.cli.Paragraphs;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.UnjudgedRule;
import io.evenkeel.v1.UnplacedCause;
import io.evenkeel.v1.UnplacedPods;
import java.util.List;
import java.util.stream.Collectors;

/** Why pods find no node: the constraint, the domain that holds the global minimum, and why it takes no pod. */
final class UnplacedCauses {
    private UnplacedCauses() {}

    /** The cause of a pod that found no node; empty if no constraint excludes a node. */
    static String of(ConstraintExplanation constraint) {
        if (constraint.getConstraint().getTopologyKey().isEmpty()) {
            return "";
        }
        String limits = SpreadChange.name(constraint) + " (maxSkew "
                + constraint.getConstraint().getMaxSkew() + ")";
        if (constraint.getTooFewDomains()) {
            return limits + ": the global minimum counts as 0, because fewer domains than minDomains are eligible.";
        }
        return constraint.getDomainsList().stream()
                .filter(DomainExplanation::getCriticalPath)
                .findFirst()
                .map(lowest -> limits + ": " + lowest.getValue() + " has the lowest count, "
                        + lowest.getMatchingPodCount() + exclusions(lowest) + ".")
                .orElse(limits + ".");
    }

    private static String exclusions(DomainExplanation domain) {
        String by = domain.getExclusionsList().stream()
                .map(reason -> reason.getNodeCount() + " " + reason.getMessage())
                .collect(Collectors.joining(", "));
        return by.isEmpty() ? "" : ", and takes no pod (nodes: " + by + ")";
    }

    /** The cause of pods that a plan has not placed. */
    static String of(UnplacedPods pods) {
        if (pods.getCause() != UnplacedCause.UNPLACED_CAUSE_MAX_SKEW) {
            return text(pods.getCause()) + ".";
        }
        String constraint = "maxSkew of [" + pods.getConstraint() + "] " + pods.getTopologyKey();
        return pods.getMinimumDomain().isEmpty()
                ? constraint + ": the global minimum counts as 0, because fewer domains than minDomains are eligible."
                : constraint + ": " + pods.getMinimumDomain() + " has the lowest count and takes no pod: "
                        + text(pods.getMinimumDomainCause()) + ".";
    }

    /** Appends the rules that were not judged; nothing if all were. */
    static void appendUnjudged(StringBuilder text, int indent, List<UnjudgedRule> unjudged) {
        if (!unjudged.isEmpty()) {
            Paragraphs.append(
                    text, indent, "Not judged: " + String.join(", ", UnjudgedRules.names(unjudged.stream())) + ".");
        }
    }

    /** Appends the scores of kube-scheduler that the rule {@code stock} omits. */
    static void appendNotScored(StringBuilder text, List<String> notScored) {
        if (!notScored.isEmpty()) {
            text.append("Not scored: ").append(String.join(", ", notScored)).append(".\n");
        }
    }

    private static String text(UnplacedCause cause) {
        return switch (cause) {
            case UNPLACED_CAUSE_NO_NODE -> "there is no node";
            case UNPLACED_CAUSE_NOT_ENTERABLE -> "a cordon, a taint, node affinity, nodeName or a missing topology key";
            case UNPLACED_CAUSE_NO_ROOM -> "too little of a resource is free, or a host port is taken";
            case UNPLACED_CAUSE_MAX_COUNT -> "a node group that could take it already has its maximum of new nodes";
            case UNPLACED_CAUSE_NO_PLAN -> "a new node could take it, but no plan with one more node places more pods";
            case UNPLACED_CAUSE_MAX_SKEW -> "maxSkew of another constraint";
            case UNPLACED_CAUSE_UNSPECIFIED, UNRECOGNIZED -> "the cause is not known";
        };
    }
}
