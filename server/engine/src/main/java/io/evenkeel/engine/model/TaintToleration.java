package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;

/**
 * A toleration of a pod ({@code pod.spec.tolerations}), with the rules of kube-scheduler 1.36 when
 * {@code TaintTolerationComparisonOperators} is on.
 *
 * @param key empty matches every taint key
 * @param operator "" or Equal, Exists, Lt, Gt; any other tolerates nothing
 * @param value compared with the taint's value; for Lt and Gt both must be plain decimal integers
 * @param effect empty matches every effect
 */
public record TaintToleration(String key, String operator, String value, String effect) {

    /** Whether this toleration tolerates {@code taint}. */
    public boolean tolerates(NodeTaint taint) {
        if (!effect.isEmpty() && !effect.equals(taint.effect())) {
            return false;
        }
        if (!key.isEmpty() && !key.equals(taint.key())) {
            return false;
        }
        return switch (operator) {
            case "", "Equal" -> value.equals(taint.value());
            case "Exists" -> true;
            case "Lt" ->
                DecimalInteger.isPlain(taint.value())
                        && DecimalInteger.isPlain(value)
                        && Long.parseLong(taint.value()) < Long.parseLong(value);
            case "Gt" ->
                DecimalInteger.isPlain(taint.value())
                        && DecimalInteger.isPlain(value)
                        && Long.parseLong(taint.value()) > Long.parseLong(value);
            default -> false;
        };
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(key, operator, value, effect);
    }
}
