package io.evenkeel.objects;

import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.List;

/**
 * Validates PodTopologySpreadArgs and converts them into default constraints. The rules are those of kube-scheduler's
 * {@code ValidatePodTopologySpreadArgs}. Safe for use by several threads.
 */
public final class DefaultConstraintsTranslator {
    private DefaultConstraintsTranslator() {}

    /**
     * The default constraints that a list defines. An empty list defines none.
     *
     * @param field the path of the list in violations, such as {@code defaults.constraints}
     * @throws InvalidObjectException if the list is invalid; lists every violation
     */
    public static SpreadDefaults list(List<TopologySpreadConstraint> constraints, String field, PodLimits limits)
            throws InvalidObjectException {
        Violations violations = new Violations();
        List<SpreadConstraint> translated =
                new ConstraintTranslator(limits).ofDefaults(constraints, FieldPath.ROOT.field(field), violations);
        violations.throwIfAny();
        return SpreadDefaults.list(translated);
    }

    /**
     * The selector that the owners of a pod yield.
     *
     * @param field the path of the selector in violations
     * @throws InvalidObjectException if the selector is invalid; lists every violation
     */
    public static PodSelector ownersSelector(LabelSelector selector, String field, PodLimits limits)
            throws InvalidObjectException {
        Violations violations = new Violations();
        PodSelector translated =
                SelectorTranslator.translate(selector, FieldPath.ROOT.field(field), limits, violations);
        violations.throwIfAny();
        return translated;
    }

    /**
     * The default constraints that these arguments define. Do not use the result if {@code violations} were added.
     *
     * @param defaultingType {@code System}, {@code List}, or empty, which means System
     * @param constraints empty if {@code defaultingType} is System
     * @param path the path of the arguments in violations, such as {@code defaults}; may be empty
     */
    public static SpreadDefaults translate(
            String defaultingType,
            List<TopologySpreadConstraint> constraints,
            FieldPath path,
            PodLimits limits,
            Violations violations) {
        boolean system = defaultingType.isEmpty() || defaultingType.equals("System");
        if (!system && !defaultingType.equals("List")) {
            violations.add(
                    path.field("defaultingType"), "must be System or List, was " + Quotes.quoted(defaultingType));
        }
        FieldPath constraintsField = path.field("defaultConstraints");
        if (system && !constraints.isEmpty()) {
            violations.add(
                    constraintsField,
                    "must be empty with defaultingType System, had " + constraints.size() + " entries");
        }
        List<SpreadConstraint> translated =
                new ConstraintTranslator(limits).ofDefaults(constraints, constraintsField, violations);
        return system || !violations.isEmpty() ? SpreadDefaults.SYSTEM : SpreadDefaults.list(translated);
    }
}
