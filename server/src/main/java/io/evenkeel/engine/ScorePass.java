package io.evenkeel.engine;

import java.util.Arrays;
import java.util.Objects;

/**
 * The soft constraints over the nodes that passed (kube-scheduler's PodTopologySpread PreScore, Score and NormalizeScore).
 *
 * <p>Raw score of a node: the sum over constraints, in order, of {@code count × weight + (maxSkew − 1)} in double arithmetic, rounded half away from zero; a constraint whose
 * label the node lacks adds nothing. The weight is {@code ln(size + 2)}; size is the number of domains among the nodes considered, for hostname the number of those nodes.
 * Normalised in integers: {@code 100 × (max + min − raw) / max}, 100 for all where max is 0.
 */
final class ScorePass {
    private ScorePass() {}

    /** Answers whether the whole cluster was scored by its cells, which stand then in the answer's working memory. */
    static boolean run(PodPlan plan, Answer answer) {
        if (plan.soft.length == 0) {
            return false;
        }
        byte[] scores = answer.beginScores();
        Answer.Scratch scratch = answer.scratch;
        int words = answer.words();
        boolean complete = allCarryAll(plan, answer);
        boolean whole = complete && NodeBits.cardinality(answer.passed(), words) == answer.nodes();
        long[] considered = complete ? answer.passed() : consider(plan, answer);
        double[] weights = whole ? weights(plan, scratch) : weights(plan, considered, words, scratch);
        if (complete || plan.ignoresIncompleteNodes) {
            boolean kept = whole && ScoreCells.areKept(plan, answer);
            boolean inCells = cut(plan, answer, weights, considered, kept);
            if (inCells && scratch.planes.fit(scratch.cells)) {
                scratch.planes.run(scratch.cells, words, scores);
                return kept;
            }
            if (scratch.table.fits(plan)) {
                scratch.table.run(plan, weights, considered, words, inCells ? scratch.cells : null, scores);
                return kept;
            }
        }
        double[] sums = scratch.sums(words * 64);
        for (int i = 0; i < plan.soft.length; i++) {
            addParts(plan.soft[i], weights[i], considered, words, sums);
        }
        Arrays.fill(scores, 0, words * 64, (byte) 0);
        normalise(considered, words, scratch, scores);
        return false;
    }

    /** Cuts the nodes considered into cells, where that can be; answers whether it could. */
    private static boolean cut(PodPlan plan, Answer answer, double[] weights, long[] considered, boolean kept) {
        ScoreCells cells = answer.scratch.cells;
        if (kept) {
            cells.takeWhole(plan, Objects.requireNonNull(plan.joint), weights);
            return true;
        }
        return cells.take(plan, weights, considered, answer.words());
    }

    /** Whether every node of the cluster carries every soft topology key. */
    static boolean allCarryAll(PodPlan plan, Answer answer) {
        for (PlannedConstraint constraint : plan.soft) {
            if (!answer.everyNodeIn(constraint.label())) {
                return false;
            }
        }
        return true;
    }

    /** The candidates that are not ignored: under kube-scheduler's own defaults all, else those that carry every soft topology key. */
    private static long[] consider(PodPlan plan, Answer answer) {
        int words = answer.words();
        long[] considered = answer.scratch.considered(words);
        System.arraycopy(answer.passed(), 0, considered, 0, words);
        if (plan.ignoresIncompleteNodes) {
            for (PlannedConstraint constraint : plan.soft) {
                NodeBits.and(considered, constraint.label().carriers(), 0, words);
            }
        }
        return considered;
    }

    /** The weights where all nodes are considered and each carries every soft topology key. */
    static double[] weights(PodPlan plan, Answer.Scratch scratch) {
        double[] weights = scratch.weights(plan.soft.length);
        for (int i = 0; i < plan.soft.length; i++) {
            weights[i] = scratch.weight(plan.soft[i].domains().topology.domains());
        }
        return weights;
    }

    private static double[] weights(PodPlan plan, long[] considered, int words, Answer.Scratch scratch) {
        double[] weights = scratch.weights(plan.soft.length);
        for (int i = 0; i < plan.soft.length; i++) {
            weights[i] = scratch.weight(domainsAmong(plan.soft[i].domains().topology, considered, words, scratch));
        }
        return weights;
    }

    /** The weight of a constraint over that many domains. */
    static double weight(int domains) {
        return StrictMath.log(domains + 2.0);
    }

    /** How many domains of a topology the nodes considered are in; for hostname, how many nodes there are. */
    static int domainsAmong(Topology topology, long[] considered, int words, Answer.Scratch scratch) {
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
        long[] seen = scratch.seen(NodeBits.words(topology.domainLimit()));
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
            PlannedConstraint constraint, double weight, long[] considered, int words, double[] sums) {
        double base = constraint.source().maxSkew() - 1;
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
        double[] sums = scratch.sums(0);
        long[] raw = scratch.raw(words * 64);
        long min = Long.MAX_VALUE;
        long max = 0;
        for (int w = 0; w < words; w++) {
            for (long left = considered[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                long rounded = Math.round(sums[slot]);
                sums[slot] = 0;
                raw[slot] = rounded;
                min = Math.min(min, rounded);
                max = Math.max(max, rounded);
            }
        }
        for (int w = 0; w < words; w++) {
            for (long left = considered[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                scores[slot] = normalised(raw[slot], min, max);
            }
        }
    }

    /** 0 to 100; higher is better. */
    static byte normalised(long raw, long min, long max) {
        return (byte) (max == 0 ? 100 : 100 * (max + min - raw) / max);
    }
}
