package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.List;
import java.util.Map;

/**
 * One requirement of a label selector.
 *
 * @param values for IN and NOT_IN at least one, otherwise none
 */
public record LabelRequirement(String key, Operator operator, List<String> values) {
    /** The operators of {@code metav1.LabelSelectorOperator}. NOT_IN also holds if the key is absent. */
    public enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST
    }

    public LabelRequirement {
        values = values.stream().distinct().sorted().toList();
    }

    /** {@code key = value}. */
    public static LabelRequirement equal(String key, String value) {
        return new LabelRequirement(key, Operator.IN, List.of(value));
    }

    boolean matches(Map<String, String> labels) {
        String value = labels.get(key);
        return switch (operator) {
            case IN -> value != null && values.contains(value);
            case NOT_IN -> value == null || !values.contains(value);
            case EXISTS -> value != null;
            case DOES_NOT_EXIST -> value == null;
        };
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(key, operator.ordinal(), values);
    }
}
