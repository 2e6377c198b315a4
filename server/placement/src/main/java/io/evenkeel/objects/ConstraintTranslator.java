package io.evenkeel.objects;

import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;

/**
 * Validates topology spread constraints of the API and converts them into constraints of the engine. The rules are
 * those of the API server's {@code validateTopologySpreadConstraints}, except for three that do not affect any answer:
 * two constraints may have the same topologyKey, matchLabelKeys needs no selector, and a soft constraint may have
 * minDomains.
 */
final class ConstraintTranslator {
    private static final String HONOR = "Honor";
    private static final String IGNORE = "Ignore";
    private static final int MAX_TOPOLOGY_KEY = 317;

    private final PodLimits limits;

    ConstraintTranslator(PodLimits limits) {
        this.limits = limits;
    }

    /** The constraints of an incoming pod. Do not use the result if {@code violations} were added. */
    List<SpreadConstraint> ofPod(List<TopologySpreadConstraint> constraints, FieldPath field, Violations violations) {
        List<SpreadConstraint> translated = new ArrayList<>(constraints.size());
        if (limits.admitConstraints(constraints.size(), field, violations)) {
            for (int i = 0; i < constraints.size(); i++) {
                translated.add(ofPod(constraints.get(i), field.index(i), violations));
            }
        }
        return translated;
    }

    private SpreadConstraint ofPod(TopologySpreadConstraint constraint, FieldPath field, Violations violations) {
        check(constraint, field, violations);
        PodSelector selector = constraint.hasLabelSelector()
                ? SelectorTranslator.translate(
                        constraint.getLabelSelector(), field.field("labelSelector"), limits, violations)
                : null;
        FieldPath keysField = field.field("matchLabelKeys");
        if (limits.admitEntries(constraint.getMatchLabelKeysCount(), keysField, violations)) {
            for (int i = 0; i < constraint.getMatchLabelKeysCount(); i++) {
                LabelRules.checkKey(constraint.getMatchLabelKeys(i), keysField.index(i), violations);
            }
        }
        return new SpreadConstraint(
                constraint.getMaxSkew(),
                constraint.getTopologyKey(),
                constraint.getWhenUnsatisfiable().equals("DoNotSchedule"),
                selector,
                constraint.getMatchLabelKeysList(),
                constraint.getMinDomains(),
                !constraint.getNodeAffinityPolicy().equals(IGNORE),
                constraint.getNodeTaintsPolicy().equals(HONOR));
    }

    /**
     * The default constraints of a cluster, which must also satisfy kube-scheduler's
     * {@code ValidatePodTopologySpreadArgs}. As in kube-scheduler, their matchLabelKeys have no effect: the selector of
     * the pod's owners replaces the merged one.
     */
    List<SpreadConstraint> ofDefaults(
            List<TopologySpreadConstraint> constraints, FieldPath field, Violations violations) {
        List<SpreadConstraint> translated = new ArrayList<>(constraints.size());
        if (!limits.admitConstraints(constraints.size(), field, violations)) {
            return translated;
        }
        for (int i = 0; i < constraints.size(); i++) {
            TopologySpreadConstraint constraint = constraints.get(i);
            FieldPath at = field.index(i);
            if (constraint.hasLabelSelector()) {
                violations.add(
                        at.field("labelSelector"),
                        "must be absent: the selector of a default constraint comes from the pod's owners");
            }
            if (!constraint.getTopologyKey().isEmpty()) {
                LabelRules.checkKey(constraint.getTopologyKey(), at.field("topologyKey"), violations);
            }
            for (TopologySpreadConstraint earlier : constraints.subList(0, i)) {
                if (earlier.getTopologyKey().equals(constraint.getTopologyKey())
                        && earlier.getWhenUnsatisfiable().equals(constraint.getWhenUnsatisfiable())) {
                    violations.add(
                            at, "must not repeat the topologyKey and whenUnsatisfiable of an earlier constraint");
                    break;
                }
            }
            translated.add(ofPod(
                    constraint.toBuilder()
                            .clearLabelSelector()
                            .clearMatchLabelKeys()
                            .build(),
                    at,
                    violations));
        }
        return translated;
    }

    private static void check(TopologySpreadConstraint constraint, FieldPath field, Violations violations) {
        if (constraint.getMaxSkew() < 1) {
            violations.add(field.field("maxSkew"), "must be at least 1, was " + constraint.getMaxSkew());
        }
        FieldPath keyField = field.field("topologyKey");
        if (constraint.getTopologyKey().isEmpty()) {
            violations.add(keyField, "must not be empty");
        } else {
            TextRules.checkLength(constraint.getTopologyKey(), MAX_TOPOLOGY_KEY, keyField, violations);
        }
        String action = constraint.getWhenUnsatisfiable();
        if (!action.equals("DoNotSchedule") && !action.equals("ScheduleAnyway")) {
            violations.add(
                    field.field("whenUnsatisfiable"),
                    "must be DoNotSchedule or ScheduleAnyway, was " + Quotes.quoted(action));
        }
        if (constraint.hasMinDomains() && constraint.getMinDomains() < 1) {
            violations.add(field.field("minDomains"), "must be at least 1, was " + constraint.getMinDomains());
        }
        if (constraint.hasNodeAffinityPolicy()) {
            checkPolicy(constraint.getNodeAffinityPolicy(), field.field("nodeAffinityPolicy"), violations);
        }
        if (constraint.hasNodeTaintsPolicy()) {
            checkPolicy(constraint.getNodeTaintsPolicy(), field.field("nodeTaintsPolicy"), violations);
        }
    }

    private static void checkPolicy(String policy, FieldPath field, Violations violations) {
        if (!policy.equals(HONOR) && !policy.equals(IGNORE)) {
            violations.add(field, "must be Honor or Ignore, was " + Quotes.quoted(policy));
        }
    }
}
