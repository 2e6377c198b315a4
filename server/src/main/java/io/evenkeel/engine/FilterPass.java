package io.evenkeel.engine;

/** The hard constraints over all candidates, in order: the first that fails decides a node (kube-scheduler's PodTopologySpread Filter). */
final class FilterPass {
    private FilterPass() {}

    static void run(PodPlan plan, Answer answer) {
        for (PlannedConstraint constraint : plan.hard) {
            answer.keep(constraint.label().carriers(), Reason.MISSING_LABEL);
            SpreadGroup group = constraint.group();
            if (group != null) {
                keepWithin(group, constraint.limit(), answer.passed(), answer.words());
            }
        }
    }

    /** Takes out of {@code slots}, all of which carry the key, those in a domain whose count is above {@code limit}. */
    private static void keepWithin(SpreadGroup group, int limit, long[] slots, int words) {
        Topology topology = group.topology();
        DomainCounts counts = group.counts();
        if (counts instanceof WideCounts wide) {
            wide.retainAtMost(limit, slots, words);
            for (int follower : topology.followers()) {
                if (NodeBits.get(slots, follower) && counts.get(topology.domainOf(follower)) > limit) {
                    NodeBits.clear(slots, follower);
                }
            }
        } else if (topology.keepsSlots()) {
            for (int domain = 0; domain < topology.domainLimit(); domain++) {
                if (counts.get(domain) > limit) {
                    NodeBits.andNot(slots, topology.slotsOf(domain), words);
                }
            }
        } else {
            keepWithinNodeByNode(topology.domainsBySlot(), counts, limit, slots, words);
        }
    }

    private static void keepWithinNodeByNode(int[] domainOf, DomainCounts counts, int limit, long[] slots, int words) {
        for (int w = 0; w < words; w++) {
            long above = 0;
            for (long left = slots[w]; left != 0; left &= left - 1) {
                int bit = Long.numberOfTrailingZeros(left);
                above |= (long) ((limit - counts.get(domainOf[w << 6 | bit])) >>> 31) << bit;
            }
            slots[w] &= ~above;
        }
    }
}
