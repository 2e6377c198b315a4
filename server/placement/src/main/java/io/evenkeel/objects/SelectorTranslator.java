package io.evenkeel.objects;

import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.LabelRequirement.Operator;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.v1.LabelSelectorRequirement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Validates label selectors of the API by the rules of apimachinery's {@code LabelSelectorAsSelector} and converts them
 * into selectors of the engine. One invalid requirement makes the whole selector invalid.
 */
final class SelectorTranslator {
    private SelectorTranslator() {}

    /** Converts a selector. The result has no requirements if {@code violations} were added. */
    static PodSelector translate(
            io.evenkeel.v1.LabelSelector selector, FieldPath field, PodLimits limits, Violations violations) {
        List<LabelRequirement> requirements = new ArrayList<>();
        FieldPath labelsField = field.field("matchLabels");
        if (limits.admitEntries(selector.getMatchLabelsCount(), labelsField, violations)) {
            LabelRules.checkLabels(selector.getMatchLabelsMap(), labelsField, violations);
            selector.getMatchLabelsMap().forEach((key, value) -> requirements.add(LabelRequirement.equal(key, value)));
        }
        FieldPath expressionsField = field.field("matchExpressions");
        if (limits.admitEntries(selector.getMatchExpressionsCount(), expressionsField, violations)) {
            for (int i = 0; i < selector.getMatchExpressionsCount(); i++) {
                LabelRequirement requirement =
                        requirement(selector.getMatchExpressions(i), expressionsField.index(i), limits, violations);
                if (requirement != null) {
                    requirements.add(requirement);
                }
            }
        }
        return violations.isEmpty() ? new PodSelector(requirements) : PodSelector.EMPTY;
    }

    private static @Nullable LabelRequirement requirement(
            LabelSelectorRequirement expression, FieldPath field, PodLimits limits, Violations violations) {
        LabelRules.checkKey(expression.getKey(), field.field("key"), violations);
        FieldPath valuesField = field.field("values");
        int values = expression.getValuesCount();
        if (!limits.admitEntries(values, valuesField, violations)) {
            return null;
        }
        for (int i = 0; i < values; i++) {
            LabelRules.checkValue(expression.getValues(i), valuesField.index(i), violations);
        }
        Operator operator = operator(expression.getOperator());
        if (operator == null) {
            violations.add(
                    field.field("operator"),
                    "must be In, NotIn, Exists or DoesNotExist, was " + Quotes.quoted(expression.getOperator()));
            return null;
        }
        boolean needsValues = operator == Operator.IN || operator == Operator.NOT_IN;
        if (needsValues && values == 0) {
            violations.add(valuesField, "must not be empty with operator " + expression.getOperator());
        }
        if (!needsValues && values > 0) {
            violations.add(valuesField, "must be empty with operator " + expression.getOperator() + ", had " + values);
        }
        return new LabelRequirement(expression.getKey(), operator, expression.getValuesList());
    }

    private static @Nullable Operator operator(String name) {
        return switch (name) {
            case "In" -> Operator.IN;
            case "NotIn" -> Operator.NOT_IN;
            case "Exists" -> Operator.EXISTS;
            case "DoesNotExist" -> Operator.DOES_NOT_EXIST;
            default -> null;
        };
    }
}
