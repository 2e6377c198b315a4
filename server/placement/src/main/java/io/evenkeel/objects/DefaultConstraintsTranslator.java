package io.evenkeel.objects;

import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.List;

/**
 * Turns PodTopologySpreadArgs into default constraints, and checks them by the rules of kube-scheduler's
 * {@code ValidatePodTopologySpreadArgs}. Safe for use by several threads.
 */
public final class DefaultConstraintsTranslator {
    private DefaultConstraintsTranslator() {}

    /**
     * The default constraints that these arguments put in force.
     *
     * @param defaultingType {@code System}, {@code List}, or empty, which is System
     * @param constraints none with System
     * @param path the path of the arguments, for violations, as {@code defaults}; may be empty
     * @throws InvalidObjectException with every rule that the arguments break
     */
    public static SpreadDefaults translate(
            String defaultingType, List<TopologySpreadConstraint> constraints, String path, PodLimits limits)
            throws InvalidObjectException {
        Violations violations = new Violations();
        SpreadDefaults defaults =
                translate(defaultingType, constraints, FieldPath.ROOT.field(path), limits, violations);
        violations.throwIfAny();
        return defaults;
    }

    /**
     * The default constraints that a list puts in force; none where the list is empty.
     *
     * @param field the path of the list, for violations, as {@code defaults.constraints}
     * @throws InvalidObjectException with every rule that the list breaks
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
     * As {@link #translate(String, List, String, PodLimits)}, but adds to {@code violations}. The result must not be
     * used where violations were found.
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
