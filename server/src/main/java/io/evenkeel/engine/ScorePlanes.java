package io.evenkeel.engine;

import java.util.Arrays;

/**
 * The scores of the whole cluster, worked out a bit of all nodes at a time; for clusters with few distinct scores.
 *
 * <pre>
 *   planes[b]   bit b of every node's score, a bit a slot
 *
 *   counts of zone a's nodes   0   1   2   3        the nodes of a domain begin with the score of its least count; where a count's score differs from
 *   score                     97  97  91  85        that of the count before, the nodes at or above it are flipped in the bits that differ
 *                                   ↑   ↑
 *                                   steps
 * </pre>
 */
final class ScorePlanes {
    private static final int BITS = 7;

    /** With more steps than this, {@link ScoreTable} is faster. */
    private static final int MOST_STEPS = 24;

    private final BytesOfPlanes bytes = new BytesOfPlanes();
    private final long[][] planes = new long[BITS][0];
    private final int[] stepDomains = new int[MOST_STEPS];
    private final int[] stepCounts = new int[MOST_STEPS];
    private final int[] stepFlips = new int[MOST_STEPS];
    private long[] above = {};
    private int steps;

    /** Whether there are few enough steps; if so {@link #run} goes by them. */
    boolean fit(JointScores scores) {
        steps = 0;
        for (int domain = 0; domain < scores.domains(); domain++) {
            int count = scores.least(domain);
            while (count <= scores.greatest(domain)) {
                int last = scores.lastWithScoreOf(domain, count);
                if (last == scores.greatest(domain)) {
                    break;
                }
                if (steps == MOST_STEPS) {
                    return false;
                }
                stepDomains[steps] = domain;
                stepCounts[steps] = last;
                stepFlips[steps++] = scores.score(domain, last) ^ scores.score(domain, last + 1);
                count = last + 1;
            }
        }
        return true;
    }

    /** Writes the score of every node to {@code target}, 0 where there is none. */
    void run(JointHistogram joint, JointScores scores, int words, byte[] target) {
        if (above.length < words) {
            above = new long[words];
            for (int b = 0; b < BITS; b++) {
                planes[b] = new long[words];
            }
        }
        for (long[] plane : planes) {
            Arrays.fill(plane, 0, words, 0);
        }
        Topology topology = joint.topology;
        for (int domain = 0; domain < scores.domains(); domain++) {
            if (scores.least(domain) <= scores.greatest(domain)) {
                flip(scores.score(domain, scores.least(domain)), topology.slotsOf(domain), words);
            }
        }
        WideCounts counts = (WideCounts) joint.group.counts();
        for (int step = 0; step < steps; step++) {
            counts.above(stepCounts[step], topology.slotsOf(stepDomains[step]), above, words);
            flip(stepFlips[step], above, words);
        }
        bytes.write(planes, words, target);
    }

    private void flip(int bits, long[] slots, int words) {
        for (int b = 0; b < BITS; b++) {
            if ((bits >>> b & 1) != 0) {
                NodeBits.xor(planes[b], slots, words);
            }
        }
    }
}
