package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.WideCounts;
import io.evenkeel.engine.memory.NodeBits;
import java.util.Arrays;

/**
 * The scores of all nodes as bit planes; 0 for nodes that are not considered.
 *
 * <pre>
 *   planes[b]   bit b of every node's score, one bit for each slot
 *
 *   counts of a cell's nodes            2  3  4  5  6
 *   all begin with score(2)             ─────────────
 *   split by bit 2 of the counts        2  3 │ 4  5  6     in the upper part, the bits are flipped in which score(4)
 *                                                         and score(2) differ
 *   split by bit 0, and by bit 1        2│ 3 │ 4  5 │6     the same for the upper parts, to score(3) and score(6)
 *   score(4) is score(5): no split                ^^
 * </pre>
 *
 * A part is split by the highest bit in which its least and greatest count differ, until all its nodes have one score.
 * Since scores never rise as counts rise, this holds as soon as both ends have the same score.
 */
final class ScorePlanes {
    static final int BITS = 7;

    /** With more splits than this, scoring node by node is faster. */
    private static final int MAX_SPLITS = 256;

    private static final int DEPTHS = Integer.SIZE;

    private final BytesOfPlanes bytes = new BytesOfPlanes();
    private final long[][] planes = new long[BITS][0];

    /**
     * The splits of all cells. A split comes before those of its parts, and splits of the lower part come before those
     * of the upper.
     */
    private final Split[] splits = new Split[MAX_SPLITS];

    private int found;

    /** For each depth, the lower part of the last split there, if it is split further. */
    private final long[][] lower = new long[DEPTHS][0];

    private final long[][] upper = new long[DEPTHS][0];

    /**
     * A split: the set that is split, the plane of counts that splits it, and the bits in which the scores of its parts
     * differ.
     */
    private static final class Split {
        int cell;
        int depth;
        boolean ofUpper;
        int plane;
        int flips;
        boolean splitsLower;
        boolean splitsUpper;
    }

    ScorePlanes() {
        Arrays.setAll(splits, i -> new Split());
    }

    /** Sets all scores in the first {@code words} words to 0. */
    void begin(int words) {
        for (int b = 0; b < BITS; b++) {
            if (planes[b].length < words) {
                planes[b] = new long[words];
            } else {
                Arrays.fill(planes[b], 0, words, 0);
            }
        }
    }

    /**
     * Scores all nodes of the cells, if that takes few enough splits; returns whether it did. All scores must be 0
     * before.
     */
    boolean score(ScoreCells cells, int words) {
        if (!findSplits(cells)) {
            return false;
        }
        for (int cell = 0; cell < cells.cells(); cell++) {
            if (cells.least(cell) <= cells.greatest(cell)) {
                flip(cells.score(cell, cells.least(cell)), cells.slots(cell), words);
            }
        }
        WideCounts counts = cells.counts();
        for (int i = 0; i < found && counts != null; i++) {
            split(splits[i], cells, counts.planes()[splits[i].plane], words);
        }
        return true;
    }

    private boolean findSplits(ScoreCells cells) {
        found = 0;
        for (int cell = 0; cell < cells.cells(); cell++) {
            int least = cells.least(cell);
            int greatest = cells.greatest(cell);
            if (least < greatest) {
                int leastScore = cells.score(cell, least);
                int greatestScore = cells.score(cell, greatest);
                if (leastScore != greatestScore
                        && !findSplits(cells, cell, 0, false, least, leastScore, greatest, greatestScore)) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Finds the splits of a part whose least and greatest count have different scores; returns whether there is room
     * for them.
     */
    private boolean findSplits(
            ScoreCells cells,
            int cell,
            int depth,
            boolean ofUpper,
            int least,
            int leastScore,
            int greatest,
            int greatestScore) {
        if (found == MAX_SPLITS) {
            return false;
        }
        Split split = splits[found++];
        split.cell = cell;
        split.depth = depth;
        split.ofUpper = ofUpper;
        split.plane = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(least ^ greatest);
        int middle = greatest >>> split.plane << split.plane;
        int lowerEnd = cells.lastBelow(cell, middle, least);
        int lowerEndScore = lowerEnd == least ? leastScore : cells.score(cell, lowerEnd);
        int upperStart = cells.nextAbove(cell, middle - 1, greatest);
        int upperStartScore = upperStart == greatest ? greatestScore : cells.score(cell, upperStart);
        split.flips = leastScore ^ upperStartScore;
        split.splitsLower = leastScore != lowerEndScore;
        split.splitsUpper = upperStartScore != greatestScore;
        return (!split.splitsLower
                        || findSplits(cells, cell, depth + 1, false, least, leastScore, lowerEnd, lowerEndScore))
                && (!split.splitsUpper
                        || findSplits(
                                cells, cell, depth + 1, true, upperStart, upperStartScore, greatest, greatestScore));
    }

    private void split(Split split, ScoreCells cells, long[] plane, int words) {
        int depth = split.depth;
        long[] whole = depth == 0 ? cells.slots(split.cell) : split.ofUpper ? upper[depth - 1] : lower[depth - 1];
        if (split.splitsUpper) {
            upper[depth] = room(upper[depth], words);
            NodeBits.intersection(whole, plane, upper[depth], words);
            flip(split.flips, upper[depth], words);
        } else {
            flipCommon(split.flips, whole, plane, words);
        }
        if (split.splitsLower) {
            lower[depth] = room(lower[depth], words);
            NodeBits.difference(whole, plane, lower[depth], words);
        }
    }

    private static long[] room(long[] set, int words) {
        return set.length < words ? new long[words] : set;
    }

    private void flip(int bits, long[] slots, int words) {
        for (int left = bits; left != 0; left &= left - 1) {
            NodeBits.xor(planes[Integer.numberOfTrailingZeros(left)], slots, words);
        }
    }

    /** Flips bits of the scores of the nodes that are in both sets. */
    private void flipCommon(int bits, long[] slots, long[] others, int words) {
        for (int left = bits; left != 0; left &= left - 1) {
            NodeBits.xorCommon(planes[Integer.numberOfTrailingZeros(left)], slots, others, words);
        }
    }

    /** Sets the score of slot {@code bit} of word {@code word}. It must be 0 before. */
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
