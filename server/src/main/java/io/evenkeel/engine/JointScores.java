package io.evenkeel.engine;

/**
 * The score of each (domain, count) pair that occurs in the whole cluster, from a {@link JointHistogram} and without a look at any node. In one domain it falls, or stays, as
 * the count rises.
 */
final class JointScores {
    private int domains;
    private int[] least = {};
    private int[] greatest = {};
    private double[] domainPart = {};
    private double countWeight;
    private double countBase;
    private long min;
    private long max;

    /** Whether the plan has a joint histogram that tells the scores, where all nodes are considered. */
    static boolean apply(PodPlan plan, Answer answer) {
        JointHistogram joint = plan.joint;
        return joint != null && joint.holds() && joint.topology.keepsSlots() && ScorePass.allCarryAll(plan, answer);
    }

    /** Takes the state as it is now; the other methods speak of it. */
    void take(PodPlan plan, JointHistogram joint, Answer.Scratch scratch) {
        domains = joint.topology.domainLimit();
        if (least.length < domains) {
            least = new int[domains];
            greatest = new int[domains];
            domainPart = new double[domains];
        }
        double[] weights = ScorePass.weights(plan, scratch);
        int counting = plan.soft[0].group() == joint.group ? 0 : 1;
        PlannedConstraint counted = plan.soft[counting];
        PlannedConstraint other = plan.soft[1 - counting];
        countWeight = weights[counting];
        countBase = counted.source().maxSkew() - 1;
        DomainCounts counts = other.counts();
        min = Long.MAX_VALUE;
        max = 0;
        for (int domain = 0; domain < domains; domain++) {
            CountHistogram nodesAt = joint.nodesAt(domain);
            least[domain] = 1;
            greatest[domain] = 0;
            if (nodesAt.domains() > 0) {
                domainPart[domain] = counts.get(domain) * weights[1 - counting]
                        + (other.source().maxSkew() - 1);
                least[domain] = nodesAt.minimum();
                greatest[domain] = nodesAt.maximum();
                min = Math.min(min, raw(domain, least[domain]));
                max = Math.max(max, raw(domain, greatest[domain]));
            }
        }
    }

    /** Domain ids are below this. */
    int domains() {
        return domains;
    }

    /** The least count of the domain's nodes; above {@link #greatest} where it has no nodes. */
    int least(int domain) {
        return least[domain];
    }

    int greatest(int domain) {
        return greatest[domain];
    }

    int score(int domain, int count) {
        return ScorePass.normalised(raw(domain, count), min, max);
    }

    /** The greatest count, from {@code count} on, that has the same score as it. */
    int lastWithScoreOf(int domain, int count) {
        int low = count;
        int high = greatest[domain];
        if (low == high) {
            return high;
        }
        int score = score(domain, count);
        if (score(domain, high) == score) {
            return high;
        }
        if (score(domain, low + 1) != score) {
            return low;
        }
        while (low + 1 < high) {
            int middle = (low + high) >>> 1;
            if (score(domain, middle) == score) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private long raw(int domain, int count) {
        return Math.round(domainPart[domain] + (count * countWeight + countBase));
    }
}
