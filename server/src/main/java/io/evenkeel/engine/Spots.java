package io.evenkeel.engine;

import org.jspecify.annotations.Nullable;

/** Where each node stands for one constraint, in words; one {@link Explanation.Spot} a domain. Used under the engine's lock. */
final class Spots {
    private final ClusterStore store;
    private final PlannedConstraint constraint;
    private final Topology topology;
    private final Explanation.@Nullable Spot[] spotOfDomain;

    Spots(ClusterStore store, PlannedConstraint constraint) {
        this.store = store;
        this.constraint = constraint;
        this.topology = constraint.domains().topology;
        spotOfDomain = new Explanation.Spot[topology.domainLimit()];
    }

    Explanation.Spot of(int slot) {
        int domain = topology.domainOf(slot);
        if (domain == Topology.NONE || !NodeBits.get(constraint.label().carriers(), slot)) {
            return Explanation.Spot.NOWHERE;
        }
        Explanation.Spot spot = spotOfDomain[domain];
        if (spot == null) {
            spot = new Explanation.Spot(valueAt(store, topology, slot), constraint.count(slot));
            spotOfDomain[domain] = spot;
        }
        return spot;
    }

    /** The value of the domain that a slot is in; null where it is in none. */
    static @Nullable String valueAt(ClusterStore store, Topology topology, int slot) {
        NodeTable.Attributes node = store.nodes.attributes(slot);
        if (topology.kind == Topology.Kind.NODE) {
            return node.name();
        }
        int value = topology.valueIn(node.labels());
        return value == StringTable.NONE ? null : store.strings.get(value);
    }
}
