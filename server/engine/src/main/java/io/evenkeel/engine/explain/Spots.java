package io.evenkeel.engine.explain;

import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.plan.PlannedConstraint;
import org.jspecify.annotations.Nullable;

/** Where each node stands for one constraint, in words; one {@link Explanation.Spot} a domain. */
final class Spots {
    private final StateForExplanation state;
    private final PlannedConstraint constraint;
    private final Topology topology;
    private final Explanation.@Nullable Spot[] spotOfDomain;

    Spots(StateForExplanation state, PlannedConstraint constraint) {
        this.state = state;
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
            spot = new Explanation.Spot(state.valueAt(topology, slot), constraint.count(slot));
            spotOfDomain[domain] = spot;
        }
        return spot;
    }
}
