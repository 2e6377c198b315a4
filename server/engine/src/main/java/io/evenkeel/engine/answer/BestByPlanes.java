package io.evenkeel.engine.answer;

import io.evenkeel.engine.memory.NodeBits;

/**
 * Finds the best nodes in {@link ScorePlanes}, from the highest score down: a node has a score if its bits in all
 * planes are those of the score.
 */
final class BestByPlanes {
    private long[] rest = {};
    private long[] level = {};
    private long[] tried = {};

    /** Fills {@code best} with nodes that passed, equal scores by lower index, and with their scores. */
    void run(ScorePlanes scores, long[] passed, int words, BestNodes best) {
        begin(passed, words);
        while (!best.isFull() && NodeBits.intersects(rest, rest, words)) {
            int score = takeLevel(scores.planes(), words);
            int had = best.count();
            best.add(level, 0, words);
            best.score(had, score);
            NodeBits.xor(rest, level, words);
        }
    }

    /** Fills {@code top} with all nodes that have the best score of those that passed. */
    void top(ScorePlanes scores, long[] passed, int words, long[] top) {
        begin(passed, words);
        takeLevel(scores.planes(), words);
        System.arraycopy(level, 0, top, 0, words);
    }

    private void begin(long[] passed, int words) {
        if (rest.length < words) {
            rest = new long[words];
            level = new long[words];
            tried = new long[words];
        }
        System.arraycopy(passed, 0, rest, 0, words);
    }

    /** Sets {@code level} to the remaining nodes with the best score; returns that score. */
    private int takeLevel(long[][] planes, int words) {
        System.arraycopy(rest, 0, level, 0, words);
        int score = 0;
        for (int b = planes.length - 1; b >= 0; b--) {
            if (NodeBits.intersection(level, planes[b], tried, words)) {
                score |= 1 << b;
                long[] better = tried;
                tried = level;
                level = better;
            }
        }
        return score;
    }
}
