package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import java.util.Objects;

/**
 * The soft constraints over the nodes that passed (kube-scheduler's PodTopologySpread PreScore, Score and
 * NormalizeScore).
 *
 * <p>Raw score of a node: the sum over constraints, in order, of {@code count × weight + (maxSkew − 1)} in double
 * arithmetic, rounded half away from zero; a constraint whose label the node lacks adds nothing. The weight is
 * {@code ln(size + 2)}; size is the number of domains among the nodes considered, for hostname the number of those
 * nodes. Normalised in integers: {@code 100 × (max + min − raw) / max}, 100 for all where max is 0.
 */
public final class ScorePass {
    private ScorePass() {}

    /**
     * Leaves the scores in the answer's {@link ScorePlanes}.
     *
     * @param everyScore whether each node's is wanted too
     */
    public static void run(PodPlan plan, Answer answer, boolean everyScore) {
        if (plan.soft.length == 0) {
            return;
        }
        Answer.Scratch scratch = answer.scratch;
        ScoreCells cells = scratch.cells;
        int words = answer.words();
        boolean complete = allCarryAll(plan, answer);
        boolean whole = complete && NodeBits.cardinality(answer.passed(), words) == answer.nodes();
        long[] considered = complete ? answer.passed() : consider(plan, answer);
        boolean inCells = true;
        if (whole && ScoreCells.areKept(plan, answer)) {
            cells.takeWhole(plan, Objects.requireNonNull(plan.joint), scratch);
        } else {
            inCells = cells.take(plan, considered, whole, words, scratch);
        }
        scratch.planes.begin(words);
        if (!inCells || !scratch.planes.score(cells, words)) {
            scratch.byNode.run(plan, considered, words, scratch, scratch.planes);
        }
        if (everyScore) {
            scratch.planes.write(words, answer.beginScores());
        } else {
            answer.beginBestScores();
        }
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

    /**
     * The candidates that are not ignored: under kube-scheduler's own defaults all, else those that carry every soft
     * topology key.
     */
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

    /** The weight of a constraint over that many domains. */
    public static double weight(int domains) {
        return StrictMath.log(domains + 2.0);
    }

    /** How many domains of a topology the nodes considered are in; for hostname, how many nodes there are. */
    public static int domainsAmong(Topology topology, long[] considered, int words, Answer.Scratch scratch) {
        int domains = 0;
        if (!topology.isWide()) {
            for (int domain = 0; domain < topology.domainLimit(); domain++) {
                if (topology.isDomain(domain) && topology.isAmong(domain, considered, words)) {
                    domains++;
                }
            }
            return domains;
        }
        if (topology.followers().length == 0) {
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

    /** 0 to 100; higher is better. */
    static byte normalised(long raw, long min, long max) {
        return (byte) (max == 0 ? 100 : 100 * (max + min - raw) / max);
    }
}
