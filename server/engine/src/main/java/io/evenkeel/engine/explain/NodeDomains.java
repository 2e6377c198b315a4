package io.evenkeel.engine.explain;

import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.plan.PlannedConstraint;
import org.jspecify.annotations.Nullable;

/**
 * Finds the domain of each node for one constraint. All nodes of a domain share one {@link Explanation.DomainCount}.
 */
final class NodeDomains {
    private final StateForExplanation state;
    private final PlannedConstraint constraint;
    private final Topology topology;
    private final Explanation.@Nullable DomainCount[] ofDomain;

    NodeDomains(StateForExplanation state, PlannedConstraint constraint) {
        this.state = state;
        this.constraint = constraint;
        this.topology = constraint.domains().topology;
        ofDomain = new Explanation.DomainCount[topology.domainLimit()];
    }

    Explanation.DomainCount of(int slot) {
        int domain = topology.domainOf(slot);
        if (domain == Topology.NONE || !NodeBits.get(constraint.label().carriers(), slot)) {
            return Explanation.DomainCount.NOWHERE;
        }
        Explanation.DomainCount count = ofDomain[domain];
        if (count == null) {
            count = new Explanation.DomainCount(state.valueAt(topology, slot), constraint.count(slot));
            ofDomain[domain] = count;
        }
        return count;
    }
}
