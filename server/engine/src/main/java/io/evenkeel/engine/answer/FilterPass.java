package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.DomainCounts;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.index.WideCounts;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;

/**
 * The Filter pass: applies the hard constraints to all candidates, in order. The first constraint that fails decides
 * about a node (kube-scheduler's PodTopologySpread Filter).
 */
final class FilterPass {
    private FilterPass() {}

    static void run(PodPlan plan, Verdicts verdicts, Scratch scratch) {
        int words = verdicts.words();
        for (PlannedConstraint constraint : plan.hard) {
            if (!verdicts.everyNodeIn(constraint.label())) {
                verdicts.keep(constraint.label().carriers(), Reason.MISSING_LABEL);
            }
            retainWithin(constraint, verdicts.passed(), 0, words, scratch);
        }
    }

    /**
     * Removes from words {@code from} to {@code to} of {@code slots} the nodes that any hard constraint excludes, for
     * whatever reason.
     */
    static void retain(PodPlan plan, Verdicts verdicts, Scratch scratch, long[] slots, int from, int to) {
        for (PlannedConstraint constraint : plan.hard) {
            if (!verdicts.everyNodeIn(constraint.label())) {
                NodeBits.and(slots, constraint.label().carriers(), from, to);
            }
            retainWithin(constraint, slots, from, to, scratch);
        }
    }

    /**
     * Removes from {@code slots}, which all have the topology key, those in a domain whose count is above the
     * constraint's limit.
     */
    private static void retainWithin(PlannedConstraint constraint, long[] slots, int from, int to, Scratch scratch) {
        SpreadGroup group = constraint.group();
        if (group == null) {
            return;
        }
        int limit = constraint.limit();
        Topology topology = group.topology();
        DomainCounts counts = group.counts();
        if (counts instanceof WideCounts wide) {
            wide.retainAtMost(limit, slots, from, to, scratch.atMost(to));
            for (int follower : topology.followers()) {
                int word = follower >>> 6;
                if (word >= from
                        && word < to
                        && NodeBits.get(slots, follower)
                        && counts.get(topology.domainOf(follower)) > limit) {
                    NodeBits.clear(slots, follower);
                }
            }
        } else if (topology.keepsSlots() || topology.domainLimit() < to - from << 6) {
            for (int domain = 0; domain < topology.domainLimit(); domain++) {
                if (counts.get(domain) > limit) {
                    topology.takeOutOf(domain, slots, from, to);
                }
            }
        } else {
            // There are more domains than slots to check.
            retainNodeByNode(topology.domainsBySlot(), counts, limit, slots, from, to);
        }
    }

    private static void retainNodeByNode(
            int[] domainOf, DomainCounts counts, int limit, long[] slots, int from, int to) {
        for (int w = from; w < to; w++) {
            long above = 0;
            for (long left = slots[w]; left != 0; left &= left - 1) {
                int bit = Long.numberOfTrailingZeros(left);
                above |= (long) ((limit - counts.get(domainOf[w << 6 | bit])) >>> 31) << bit;
            }
            slots[w] &= ~above;
        }
    }
}
