package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The default constraints of the cluster, for pods that define no constraints (KEP-1258; PodTopologySpreadArgs).
 *
 * @param system whether these are kube-scheduler's own (defaultingType System); scoring then ignores no node
 * @param constraints without selectors: the selector comes from the owners of the incoming pod
 * @param ownersSelector the selector that the owners yield, if the caller knows it; null to take it from the owners in
 *     the cluster. Empty if they yield none, so that the defaults are not in force
 */
public record SpreadDefaults(
        boolean system,
        List<SpreadConstraint> constraints,
        @Nullable PodSelector ownersSelector) {
    /** No defaults (defaultingType List with an empty list). */
    public static final SpreadDefaults NONE = new SpreadDefaults(false, List.of(), null);

    /** kube-scheduler's own defaults: hostname with maxSkew 3 and zone with maxSkew 5, both soft. */
    public static final SpreadDefaults SYSTEM = new SpreadDefaults(
            true,
            List.of(
                    SpreadConstraint.systemDefault("kubernetes.io/hostname", 3),
                    SpreadConstraint.systemDefault("topology.kubernetes.io/zone", 5)),
            null);

    public SpreadDefaults {
        constraints = List.copyOf(constraints);
    }

    /** Defaults listed by the operator of the cluster (defaultingType List). */
    public static SpreadDefaults list(List<SpreadConstraint> constraints) {
        return constraints.isEmpty() ? NONE : new SpreadDefaults(false, constraints, null);
    }

    /** The same constraints with the selector that the owners of the incoming pod yield. */
    public SpreadDefaults withOwnersSelector(PodSelector selector) {
        return constraints.isEmpty() ? this : new SpreadDefaults(system, constraints, selector);
    }

    /** Other constraints, as if the operator had listed them, with the same selector of the owners. */
    public SpreadDefaults listing(List<SpreadConstraint> others) {
        SpreadDefaults listed = list(others);
        return ownersSelector == null ? listed : listed.withOwnersSelector(ownersSelector);
    }

    /** The constraints in force for a pod: its own or, if it has none, these. */
    public List<SpreadConstraint> inForceFor(IncomingPod pod) {
        return pod.constraints().isEmpty() ? constraints : pod.constraints();
    }

    /** Roughly how many bytes of heap they take. */
    public long bytes() {
        return Footprint.OBJECT
                + Footprint.ofConstraints(constraints)
                + (ownersSelector == null ? 0 : Footprint.of(ownersSelector));
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(system, constraints, ownersSelector);
    }
}
