package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.labels.LabelIds;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.DecimalInteger;
import io.evenkeel.engine.model.Footprint;
import io.evenkeel.engine.model.LabelSyntax;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Matches nodes with a pod's {@code spec.nodeSelector} and the terms of a node affinity, as
 * {@code k8s.io/component-helpers/scheduling/corev1/nodeaffinity} does. Terms are ORed, and the expressions of a term
 * ANDed. An empty term matches nothing. A term that cannot be parsed matches nothing, and does not affect other terms.
 */
public final class AffinityMatcher {
    private static final String NAME_FIELD = "metadata.name";
    private static final int FEW_VALUES = 8;

    private final Map<String, String> nodeSelector;
    private final @Nullable List<NodeTerm> terms;

    /**
     * Sets of the values of expressions with many values. Without them, each node would be compared with all values.
     */
    private final IdentityHashMap<NodeRequirement, Set<String>> valueSets = new IdentityHashMap<>();

    private final StringTable strings;

    public AffinityMatcher(Map<String, String> nodeSelector, @Nullable List<NodeTerm> terms, StringTable strings) {
        this.nodeSelector = nodeSelector;
        this.terms = terms == null ? null : parsable(terms);
        this.strings = strings;
        if (this.terms != null) {
            // Not Set.copyOf: callers can choose values of equal String.hashCode, and its sets then search one cell
            // after another.
            this.terms.stream()
                    .flatMap(term -> term.matchExpressions().stream())
                    .filter(expression -> expression.values().size() > FEW_VALUES)
                    .forEach(expression -> valueSets.put(expression, new HashSet<>(expression.values())));
        }
    }

    /** Roughly how many bytes it takes, including its key. */
    long bytes() {
        long sets = 0;
        for (Set<String> values : valueSets.values()) {
            sets += Footprint.OBJECT + Footprint.ENTRY * values.size();
        }
        return Footprint.of(nodeSelector) + Footprint.ofTerms(terms) + sets;
    }

    /** Whether every node matches, because there is neither a selector nor an affinity. */
    public static boolean isTrivial(Map<String, String> nodeSelector, @Nullable List<NodeTerm> terms) {
        return nodeSelector.isEmpty() && terms == null;
    }

    public boolean matches(NodeSlots.Attributes node) {
        for (Map.Entry<String, String> pair : nodeSelector.entrySet()) {
            if (!pair.getValue().equals(label(node, pair.getKey()))) {
                return false;
            }
        }
        if (terms == null) {
            return true;
        }
        for (NodeTerm term : terms) {
            if (matches(term, node)) {
                return true;
            }
        }
        return false;
    }

    private boolean matches(NodeTerm term, NodeSlots.Attributes node) {
        for (NodeRequirement expression : term.matchExpressions()) {
            if (!matches(expression, label(node, expression.key()))) {
                return false;
            }
        }
        for (NodeRequirement field : term.matchFields()) {
            String value = field.key().equals(NAME_FIELD) ? node.name() : "";
            boolean equal = value.equals(field.values().get(0));
            if (equal != field.operator().equals("In")) {
                return false;
            }
        }
        return true;
    }

    private boolean matches(NodeRequirement expression, @Nullable String value) {
        List<String> values = expression.values();
        return switch (expression.operator()) {
            case "In" -> value != null && hasValue(expression, value);
            case "NotIn" -> value == null || !hasValue(expression, value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt" ->
                value != null
                        && DecimalInteger.isParsable(value)
                        && Long.parseLong(value) > Long.parseLong(values.get(0));
            case "Lt" ->
                value != null
                        && DecimalInteger.isParsable(value)
                        && Long.parseLong(value) < Long.parseLong(values.get(0));
            default -> throw new IllegalStateException("operator " + expression.operator() + " was parsed");
        };
    }

    private boolean hasValue(NodeRequirement expression, String value) {
        Set<String> many = valueSets.get(expression);
        return many == null ? expression.values().contains(value) : many.contains(value);
    }

    private @Nullable String label(NodeSlots.Attributes node, String key) {
        int keyId = strings.find(key);
        int value = keyId == StringTable.NONE ? StringTable.NONE : LabelIds.valueOf(node.labels(), keyId);
        return value == StringTable.NONE ? null : strings.get(value);
    }

    private static List<NodeTerm> parsable(List<NodeTerm> terms) {
        List<NodeTerm> parsed = new ArrayList<>();
        for (NodeTerm term : terms) {
            boolean empty =
                    term.matchExpressions().isEmpty() && term.matchFields().isEmpty();
            if (!empty
                    && term.matchExpressions().stream().allMatch(AffinityMatcher::parsesAsLabels)
                    && term.matchFields().stream().allMatch(AffinityMatcher::parsesAsField)) {
                parsed.add(term);
            }
        }
        return parsed;
    }

    private static boolean parsesAsLabels(NodeRequirement expression) {
        List<String> values = expression.values();
        boolean operands = switch (expression.operator()) {
            case "In", "NotIn" -> !values.isEmpty();
            case "Exists", "DoesNotExist" -> values.isEmpty();
            case "Gt", "Lt" -> values.size() == 1 && DecimalInteger.isParsable(values.get(0));
            default -> false;
        };
        return operands
                && LabelSyntax.isKey(expression.key())
                && values.stream().allMatch(LabelSyntax::isValue);
    }

    private static boolean parsesAsField(NodeRequirement field) {
        boolean operator = field.operator().equals("In") || field.operator().equals("NotIn");
        return operator && field.values().size() == 1;
    }
}
