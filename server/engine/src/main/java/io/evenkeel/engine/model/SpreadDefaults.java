package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.List;

/**
 * The cluster-level default constraints in force for pods that name none (KEP-1258; PodTopologySpreadArgs).
 *
 * @param system whether these are kube-scheduler's own (defaultingType System): then no node is ignored when scoring
 * @param constraints without selectors: the incoming pod's owners give the selector
 */
public record SpreadDefaults(boolean system, List<SpreadConstraint> constraints) {
    /** No defaults (defaultingType List with an empty list). */
    public static final SpreadDefaults NONE = new SpreadDefaults(false, List.of());

    /** kube-scheduler's: hostname with maxSkew 3 and zone with maxSkew 5, both soft. */
    public static final SpreadDefaults SYSTEM = new SpreadDefaults(
            true,
            List.of(
                    SpreadConstraint.systemDefault("kubernetes.io/hostname", 3),
                    SpreadConstraint.systemDefault("topology.kubernetes.io/zone", 5)));

    public SpreadDefaults {
        constraints = List.copyOf(constraints);
    }

    /** The operator's own list. */
    public static SpreadDefaults list(List<SpreadConstraint> constraints) {
        return constraints.isEmpty() ? NONE : new SpreadDefaults(false, constraints);
    }

    /** The constraints that a pod asks for: its own, or else these. */
    public List<SpreadConstraint> inForceFor(IncomingPod pod) {
        return pod.constraints().isEmpty() ? constraints : pod.constraints();
    }

    /** Keyed: these are what maps look for, and callers choose them. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(system, constraints);
    }
}
