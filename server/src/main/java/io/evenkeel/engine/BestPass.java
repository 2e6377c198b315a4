package io.evenkeel.engine;

/** Picks the best nodes of those that passed: higher scores first, equal scores by lower index. */
final class BestPass {
    private static final int TOP = 100;

    private BestPass() {}

    static void run(Answer answer, int howMany) {
        if (howMany == 0) {
            return;
        }
        int[] best = answer.beginBest(howMany);
        int room = Math.min(howMany, best.length);
        int count = 0;
        if (!answer.isScored()) {
            count = collect(answer, 0, best, 0, room);
        } else {
            for (int score = highest(answer, TOP + 1); score >= 0 && count < room; score = highest(answer, score)) {
                count = collect(answer, score, best, count, room);
            }
        }
        answer.endBest(count);
    }

    /** The highest score below {@code bound} of a node that passed, or -1. */
    private static int highest(Answer answer, int bound) {
        long[] passed = answer.passed();
        int highest = -1;
        for (int w = 0; w < answer.words(); w++) {
            for (long left = passed[w]; left != 0; left &= left - 1) {
                int score = answer.score(w << 6 | Long.numberOfTrailingZeros(left));
                if (score < bound && score > highest) {
                    highest = score;
                    if (highest == bound - 1) {
                        return highest;
                    }
                }
            }
        }
        return highest;
    }

    private static int collect(Answer answer, int score, int[] best, int from, int room) {
        long[] passed = answer.passed();
        int count = from;
        for (int w = 0; w < answer.words() && count < room; w++) {
            for (long left = passed[w]; left != 0 && count < room; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                if (answer.score(slot) == score) {
                    best[count++] = slot;
                }
            }
        }
        return count;
    }
}
