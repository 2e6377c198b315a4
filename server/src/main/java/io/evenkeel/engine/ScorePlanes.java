package io.evenkeel.engine;

import java.util.Arrays;

/**
 * The scores of all nodes, a bit of all of them at a time; 0 for those that are not considered.
 *
 * <pre>
 *   planes[b]   bit b of every node's score, a bit a slot
 *
 *   counts of a cell's nodes   0   1   2   3        the nodes of a cell begin with the score of its least count; where a count's score differs from
 *   score                     97  97  91  85        that of the count before, the nodes at or above it are flipped in the bits that differ
 *                                   ↑   ↑
 *                                   steps
 * </pre>
 */
final class ScorePlanes {
    static final int BITS = 7;

    /** With more steps than this, node by node is faster. */
    private static final int MOST_STEPS = 160;

    private final BytesOfPlanes bytes = new BytesOfPlanes();
    private final long[][] planes = new long[BITS][0];
    private final int[] stepCells = new int[MOST_STEPS];
    private final int[] stepCounts = new int[MOST_STEPS];
    private final int[] stepFlips = new int[MOST_STEPS];
    private long[] above = {};
    private int steps;

    /** Every score is 0 in the first {@code words} words. */
    void begin(int words) {
        if (above.length < words) {
            above = new long[words];
            for (int b = 0; b < BITS; b++) {
                planes[b] = new long[words];
            }
        }
        for (long[] plane : planes) {
            Arrays.fill(plane, 0, words, 0);
        }
    }

    /** Scores every node of the cells, each so far 0, if that takes few enough steps; answers whether it did. */
    boolean score(ScoreCells cells, int words) {
        if (!findSteps(cells)) {
            return false;
        }
        for (int cell = 0; cell < cells.cells(); cell++) {
            if (cells.least(cell) <= cells.greatest(cell)) {
                flip(cells.score(cell, cells.least(cell)), cells.slots(cell), words);
            }
        }
        WideCounts counts = cells.counts();
        for (int step = 0; step < steps && counts != null; step++) {
            counts.above(stepCounts[step], cells.slots(stepCells[step]), above, words);
            flip(stepFlips[step], above, words);
        }
        return true;
    }

    private boolean findSteps(ScoreCells cells) {
        steps = 0;
        for (int cell = 0; cell < cells.cells(); cell++) {
            int count = cells.least(cell);
            int greatest = cells.greatest(cell);
            int score = count < greatest ? cells.score(cell, count) : 0;
            while (count < greatest) {
                int last = count;
                int next = cells.nextAbove(cell, count);
                int nextScore = cells.score(cell, next);
                if (nextScore == score) {
                    last = cells.lastWithScoreOf(cell, next);
                    if (last == greatest) {
                        break;
                    }
                    next = cells.nextAbove(cell, last);
                    nextScore = cells.score(cell, next);
                }
                if (steps == MOST_STEPS) {
                    return false;
                }
                stepCells[steps] = cell;
                stepCounts[steps] = roundestBetween(last, next) - 1;
                stepFlips[steps++] = score ^ nextScore;
                count = next;
                score = nextScore;
            }
        }
        return true;
    }

    /** The number above {@code low} and at most {@code high} that ends in the most zero bits: the fewest planes tell who is at or above it. */
    private static int roundestBetween(int low, int high) {
        int end = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(low ^ high);
        return high >>> end << end;
    }

    private void flip(int bits, long[] slots, int words) {
        for (int b = 0; b < BITS; b++) {
            if ((bits >>> b & 1) != 0) {
                NodeBits.xor(planes[b], slots, words);
            }
        }
    }

    /** Scores the slot {@code bit} of word {@code word}, whose score so far is 0. */
    void set(int word, int bit, int score) {
        for (int b = 0; b < BITS; b++) {
            planes[b][word] |= (long) (score >>> b & 1) << bit;
        }
    }

    /** Writes the score of every slot of the first {@code words} words. */
    void write(int words, byte[] target) {
        bytes.write(planes, words, target);
    }

    long[][] planes() {
        return planes;
    }
}
