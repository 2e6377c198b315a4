package io.evenkeel.engine.naive;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.TaintToleration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The model's rules for one node: an incoming pod's nodeSelector, required node affinity and tolerations. */
final class NodeRules {
    private static final Pattern LABEL_NAME = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
    private static final Pattern DNS_SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern PARSABLE_INTEGER = Pattern.compile("[-+]?[0-9]+");
    private static final Pattern PLAIN_INTEGER = Pattern.compile("0|-?[1-9][0-9]*");

    private NodeRules() {}

    /**
     * Why the pod may not enter the node at all: the first of NodeUnschedulable, TaintToleration and NodeAffinity that
     * fails.
     */
    static @Nullable Reason shutOut(IncomingPod pod, NodeObject node) {
        if (node.unschedulable()
                && !tolerates(pod, new NodeTaint("node.kubernetes.io/unschedulable", "", "NoSchedule"))) {
            return Reason.UNSCHEDULABLE;
        }
        if (!toleratesTaints(pod, node)) {
            return Reason.UNTOLERATED_TAINT;
        }
        return affinityMatches(pod, node) ? null : Reason.NODE_AFFINITY;
    }

    static boolean toleratesTaints(IncomingPod pod, NodeObject node) {
        for (NodeTaint taint : node.taints()) {
            boolean keepsOut =
                    taint.effect().equals("NoSchedule") || taint.effect().equals("NoExecute");
            if (keepsOut && !tolerates(pod, taint)) {
                return false;
            }
        }
        return true;
    }

    static boolean tolerates(IncomingPod pod, NodeTaint taint) {
        for (TaintToleration toleration : pod.tolerations()) {
            boolean effect =
                    toleration.effect().isEmpty() || toleration.effect().equals(taint.effect());
            boolean key = toleration.key().isEmpty() || toleration.key().equals(taint.key());
            boolean value = switch (toleration.operator()) {
                case "", "Equal" -> toleration.value().equals(taint.value());
                case "Exists" -> true;
                case "Lt" -> arePlain(toleration, taint) && compare(taint.value(), toleration.value()) < 0;
                case "Gt" -> arePlain(toleration, taint) && compare(taint.value(), toleration.value()) > 0;
                default -> false;
            };
            if (effect && key && value) {
                return true;
            }
        }
        return false;
    }

    private static boolean arePlain(TaintToleration toleration, NodeTaint taint) {
        return isInteger(toleration.value(), PLAIN_INTEGER) && isInteger(taint.value(), PLAIN_INTEGER);
    }

    static boolean affinityMatches(IncomingPod pod, NodeObject node) {
        for (Map.Entry<String, String> label : pod.nodeSelector().entrySet()) {
            if (!label.getValue().equals(node.labels().get(label.getKey()))) {
                return false;
            }
        }
        List<NodeTerm> terms = pod.affinityTerms();
        return terms == null || terms.stream().anyMatch(term -> termMatches(term, node));
    }

    static boolean termMatches(NodeTerm term, NodeObject node) {
        if (term.matchExpressions().isEmpty() && term.matchFields().isEmpty()) {
            return false;
        }
        boolean parsable = term.matchExpressions().stream().allMatch(NodeRules::isParsableExpression)
                && term.matchFields().stream().allMatch(NodeRules::isParsableField);
        return parsable
                && term.matchExpressions().stream().allMatch(expression -> holds(expression, node.labels()))
                && term.matchFields().stream().allMatch(field -> fieldHolds(field, node.name()));
    }

    private static boolean isParsableExpression(NodeRequirement expression) {
        List<String> values = expression.values();
        boolean shape = switch (expression.operator()) {
            case "In", "NotIn" -> !values.isEmpty();
            case "Exists", "DoesNotExist" -> values.isEmpty();
            case "Gt", "Lt" -> values.size() == 1 && isInteger(values.get(0), PARSABLE_INTEGER);
            default -> false;
        };
        return shape && isLabelKey(expression.key()) && values.stream().allMatch(NodeRules::isLabelValue);
    }

    private static boolean isLabelKey(String key) {
        int slash = key.indexOf('/');
        String prefix = slash < 0 ? "a" : key.substring(0, slash);
        String name = key.substring(slash + 1);
        return prefix.length() <= 253
                && DNS_SUBDOMAIN.matcher(prefix).matches()
                && name.length() <= 63
                && LABEL_NAME.matcher(name).matches();
    }

    private static boolean isLabelValue(String value) {
        return value.isEmpty()
                || (value.length() <= 63 && LABEL_NAME.matcher(value).matches());
    }

    private static boolean holds(NodeRequirement expression, Map<String, String> labels) {
        String value = labels.get(expression.key());
        return switch (expression.operator()) {
            case "In" -> value != null && expression.values().contains(value);
            case "NotIn" -> value == null || !expression.values().contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt" ->
                value != null
                        && isInteger(value, PARSABLE_INTEGER)
                        && compare(value, expression.values().get(0)) > 0;
            case "Lt" ->
                value != null
                        && isInteger(value, PARSABLE_INTEGER)
                        && compare(value, expression.values().get(0)) < 0;
            default -> throw new IllegalStateException(expression.operator());
        };
    }

    private static boolean isParsableField(NodeRequirement field) {
        return (field.operator().equals("In") || field.operator().equals("NotIn"))
                && field.values().size() == 1;
    }

    /** Any field other than metadata.name exists and is empty. */
    private static boolean fieldHolds(NodeRequirement field, String nodeName) {
        String value = field.key().equals("metadata.name") ? nodeName : "";
        return field.operator().equals("In") == field.values().get(0).equals(value);
    }

    private static boolean isInteger(String text, Pattern shape) {
        if (!shape.matcher(text).matches()) {
            return false;
        }
        try {
            Long.parseLong(text);
            return true;
        } catch (NumberFormatException outOfRange) {
            return false;
        }
    }

    private static int compare(String left, String right) {
        return Long.compare(Long.parseLong(left), Long.parseLong(right));
    }
}
