package io.evenkeel.engine;

import java.util.Arrays;

/**
 * The scores of the nodes considered, worked out a bit of all of them at a time; where there are few distinct ones.
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
    private static final int BITS = 7;

    /** With more steps than this, {@link ScoreTable} is faster. */
    private static final int MOST_STEPS = 24;

    private final BytesOfPlanes bytes = new BytesOfPlanes();
    private final long[][] planes = new long[BITS][0];
    private final int[] stepCells = new int[MOST_STEPS];
    private final int[] stepCounts = new int[MOST_STEPS];
    private final int[] stepFlips = new int[MOST_STEPS];
    private long[] above = {};
    private int steps;

    /** Whether there are few enough steps; if so {@link #run} goes by them. */
    boolean fit(ScoreCells cells) {
        steps = 0;
        for (int cell = 0; cell < cells.cells(); cell++) {
            int count = cells.least(cell);
            while (count <= cells.greatest(cell)) {
                int last = cells.lastWithScoreOf(cell, count);
                if (last == cells.greatest(cell)) {
                    break;
                }
                if (steps == MOST_STEPS) {
                    return false;
                }
                stepCells[steps] = cell;
                stepCounts[steps] = last;
                stepFlips[steps++] = cells.score(cell, last) ^ cells.score(cell, last + 1);
                count = last + 1;
            }
        }
        return true;
    }

    /** Writes the score of every node of the cells to {@code target}, 0 for the others. */
    void run(ScoreCells cells, int words, byte[] target) {
        if (above.length < words) {
            above = new long[words];
            for (int b = 0; b < BITS; b++) {
                planes[b] = new long[words];
            }
        }
        for (long[] plane : planes) {
            Arrays.fill(plane, 0, words, 0);
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
