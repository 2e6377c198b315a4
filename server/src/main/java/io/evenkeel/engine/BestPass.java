package io.evenkeel.engine;

import java.util.Arrays;

/** Picks the best nodes of those that passed: higher scores first, equal scores by lower index. */
final class BestPass {
    private static final int SCORES = 101;

    private BestPass() {}

    static void run(Answer answer, int howMany) {
        if (howMany == 0) {
            return;
        }
        int[] best = answer.beginBest(howMany);
        int room = Math.min(howMany, best.length);
        answer.endBest(answer.isScored() ? byScore(answer, best, room) : byIndex(answer, best, room));
    }

    private static int byIndex(Answer answer, int[] best, int room) {
        long[] passed = answer.passed();
        int count = 0;
        for (int w = 0; w < answer.words() && count < room; w++) {
            for (long left = passed[w]; left != 0 && count < room; left &= left - 1) {
                best[count++] = w << 6 | Long.numberOfTrailingZeros(left);
            }
        }
        return count;
    }

    /** A counting sort that places only what has room: each score's nodes go, by index, to where the better scores' end. */
    private static int byScore(Answer answer, int[] best, int room) {
        long[] passed = answer.passed();
        byte[] scores = answer.scores();
        int words = answer.words();
        int[] place = answer.scratch.places;
        Arrays.fill(place, 0);
        for (int w = 0; w < words; w++) {
            for (long left = passed[w]; left != 0; left &= left - 1) {
                place[scores[w << 6 | Long.numberOfTrailingZeros(left)]]++;
            }
        }
        int total = 0;
        for (int score = SCORES - 1; score >= 0; score--) {
            int nodes = place[score];
            place[score] = total;
            total += nodes;
        }
        int placed = 0;
        int target = Math.min(room, total);
        for (int w = 0; w < words && placed < target; w++) {
            for (long left = passed[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                int at = place[scores[slot]]++;
                if (at < room) {
                    best[at] = slot;
                    placed++;
                }
            }
        }
        return target;
    }
}
