package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.CountHistogram;
import io.evenkeel.engine.index.DomainCounts;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadConstraint;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A constraint of a plan, with the parts of the index that answer for it.
 *
 * @param index its position in the pod's list, or among the defaults
 * @param label the topology of the label itself, which knows the nodes that have it
 * @param domains the eligible domains that it counts over
 * @param selector the effective selector; null matches no pod
 * @param group the counts; null if the selector counts no pod because it is null or empty
 * @param self 1 if the pod itself matches the effective selector, otherwise 0
 */
public record PlannedConstraint(
        int index,
        SpreadConstraint source,
        Topology label,
        EligibleDomains domains,
        @Nullable PodSelector selector,
        @Nullable SpreadGroup group,
        int self) {

    /** The counts of the group. Only for a constraint that has a group. */
    public DomainCounts counts() {
        return Objects.requireNonNull(group).counts();
    }

    /** The histogram of the group. Only for a constraint that has a group. */
    public CountHistogram histogram() {
        return Objects.requireNonNull(group).histogram();
    }

    /** The least count of an eligible domain; 0 if none is eligible. */
    public int leastCount() {
        return group == null ? 0 : group.histogram().minimum();
    }

    /** Whether fewer than minDomains domains are eligible, or none. */
    public boolean isBelowMinDomains() {
        return domains.domains() < Math.max(1, source.minDomains());
    }

    /** The global minimum (KEP-895): the least count, or 0 if fewer than minDomains domains are eligible. */
    public int minimum() {
        return isBelowMinDomains() ? 0 : leastCount();
    }

    /** The skew of a domain with {@code count} matching pods, once the pod is placed there. */
    public long skew(int count) {
        return (long) count + self - minimum();
    }

    /** The greatest count at which the skew of a domain still allows the pod; at least 0. */
    public int limit() {
        return (int) Math.min(Integer.MAX_VALUE, source.maxSkew() - skew(0));
    }

    /** The number of matching pods in the domain of a slot; 0 if the slot is in no domain. */
    public int count(int slot) {
        if (group == null) {
            return 0;
        }
        int domain = group.topology().domainOf(slot);
        return domain == Topology.NONE ? 0 : group.counts().get(domain);
    }

    /** Why the constraint excludes a node; null if it does not. */
    public @Nullable Reason failure(int slot) {
        if (!NodeBits.get(label.carriers(), slot)) {
            return Reason.MISSING_LABEL;
        }
        return count(slot) > limit() ? Reason.SKEW : null;
    }
}
