package io.evenkeel.engine;

import java.util.Arrays;

/**
 * The soft constraints over the nodes that passed (kube-scheduler's PodTopologySpread PreScore, Score and NormalizeScore).
 *
 * <p>Raw score of a node: the sum over constraints, in order, of {@code count × weight + (maxSkew − 1)} in double arithmetic, rounded half away from zero; a constraint whose
 * label the node lacks adds nothing. The weight is {@code ln(size + 2)}; size is the number of domains among the nodes considered, for hostname the number of those nodes.
 * Normalised in integers: {@code 100 × (max + min − raw) / max}, 100 for all where max is 0.
 */
final class ScorePass {
    /** Distinct raw scores up to which each is normalised once. */
    private static final int NORMALISED_ONCE = 4096;

    private ScorePass() {}

    static void run(PodPlan plan, Answer answer) {
        if (plan.soft.length == 0) {
            return;
        }
        byte[] scores = answer.beginScores();
        Answer.Scratch scratch = answer.scratch;
        int words = answer.words();
        long[] considered = consider(plan, answer);
        if (scratch.sums.length < words * 64) {
            scratch.sums = new double[words * 64];
            scratch.raw = new long[words * 64];
        }
        Arrays.fill(scratch.sums, 0, words * 64, 0);
        for (PlannedConstraint constraint : plan.soft) {
            addParts(constraint, weight(constraint, considered, words), considered, words, scratch);
        }
        normalise(considered, words, scratch, scores);
    }

    /** The candidates that are not ignored: under kube-scheduler's own defaults all, else those that carry every soft topology key. */
    private static long[] consider(PodPlan plan, Answer answer) {
        Answer.Scratch scratch = answer.scratch;
        int words = answer.words();
        if (scratch.considered.length < words) {
            scratch.considered = new long[words];
        }
        System.arraycopy(answer.passed(), 0, scratch.considered, 0, words);
        if (plan.ignoresIncompleteNodes) {
            for (PlannedConstraint constraint : plan.soft) {
                NodeBits.and(scratch.considered, constraint.label().carriers(), words);
            }
        }
        return scratch.considered;
    }

    /** The weight of a constraint among the nodes considered. */
    static double weight(PlannedConstraint constraint, long[] considered, int words) {
        return StrictMath.log(domainsAmong(constraint.domains().topology, considered, words) + 2.0);
    }

    private static int domainsAmong(Topology topology, long[] considered, int words) {
        int domains = 0;
        if (topology.keepsSlots()) {
            for (int domain = 0; domain < topology.domainLimit(); domain++) {
                if (topology.isDomain(domain) && NodeBits.intersects(topology.slotsOf(domain), considered, words)) {
                    domains++;
                }
            }
            return domains;
        }
        if (topology.isWide() && topology.followers().length == 0) {
            return NodeBits.cardinality(considered, words);
        }
        long[] seen = new long[NodeBits.words(topology.domainLimit())];
        int[] domainOf = topology.domainsBySlot();
        for (int w = 0; w < words; w++) {
            for (long left = considered[w]; left != 0; left &= left - 1) {
                int domain = domainOf[w << 6 | Long.numberOfTrailingZeros(left)];
                if (!NodeBits.get(seen, domain)) {
                    NodeBits.set(seen, domain);
                    domains++;
                }
            }
        }
        return domains;
    }

    private static void addParts(
            PlannedConstraint constraint, double weight, long[] considered, int words, Answer.Scratch scratch) {
        double base = constraint.source().maxSkew() - 1;
        double[] sums = scratch.sums;
        long[] carriers = constraint.label().carriers();
        SpreadGroup group = constraint.group();
        if (group == null) {
            for (int w = 0; w < words; w++) {
                for (long left = considered[w] & carriers[w]; left != 0; left &= left - 1) {
                    sums[w << 6 | Long.numberOfTrailingZeros(left)] += base;
                }
            }
            return;
        }
        int[] domainOf = group.topology().domainsBySlot();
        DomainCounts counts = group.counts();
        for (int w = 0; w < words; w++) {
            for (long left = considered[w] & carriers[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                sums[slot] += counts.get(domainOf[slot]) * weight + base;
            }
        }
    }

    private static void normalise(long[] considered, int words, Answer.Scratch scratch, byte[] scores) {
        double[] sums = scratch.sums;
        long[] raw = scratch.raw;
        long min = Long.MAX_VALUE;
        long max = 0;
        for (int w = 0; w < words; w++) {
            for (long left = considered[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                long rounded = Math.round(sums[slot]);
                raw[slot] = rounded;
                min = Math.min(min, rounded);
                max = Math.max(max, rounded);
            }
        }
        boolean once = max - min < NORMALISED_ONCE;
        if (once && min <= max) {
            tabulate(scratch, min, max);
        }
        for (int w = 0; w < words; w++) {
            for (long left = considered[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                scores[slot] = once ? scratch.normalised[(int) (raw[slot] - min)] : normalised(raw[slot], min, max);
            }
        }
    }

    private static void tabulate(Answer.Scratch scratch, long min, long max) {
        int range = (int) (max - min) + 1;
        if (scratch.normalised.length < range) {
            scratch.normalised = new byte[range];
        }
        for (int i = 0; i < range; i++) {
            scratch.normalised[i] = normalised(min + i, min, max);
        }
    }

    private static byte normalised(long raw, long min, long max) {
        return (byte) (max == 0 ? 100 : 100 * (max + min - raw) / max);
    }
}
