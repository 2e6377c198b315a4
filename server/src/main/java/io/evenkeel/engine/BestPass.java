package io.evenkeel.engine;

import java.util.Arrays;

/** Picks the best nodes of those that passed: higher scores first, equal scores by lower index. */
final class BestPass {
    private static final int SCORES = 101;
    private static final int FIRST_WORDS = 8;
    private static final int MOST_WORDS = 512;

    private BestPass() {}

    /** Of an answer whose candidates are judged and, where there are soft constraints, scored. */
    static void run(Answer answer, int howMany) {
        if (howMany == 0) {
            return;
        }
        int[] best = answer.beginBest(howMany);
        int room = Math.min(howMany, best.length);
        answer.endBest(answer.isScored() ? byScore(answer, best, room) : byIndex(answer, best, room));
    }

    /**
     * Without judging every node of the cluster, where that can be; answers whether it could.
     *
     * @param known every node of the cluster, which all are candidates
     */
    static boolean runAlone(PodPlan plan, long[] known, Answer answer, int howMany) {
        int[] best = answer.beginBest(howMany);
        int room = Math.min(howMany, best.length);
        if (plan.soft.length == 0) {
            answer.endBest(firstToPass(plan, known, answer, best, room));
            return true;
        }
        JointHistogram joint = plan.joint;
        if (plan.hard.length == 0 && joint != null && JointScores.apply(plan, answer)) {
            JointScores scores = answer.scratch.joint;
            scores.take(plan, joint, answer.scratch);
            answer.endBest(answer.scratch.bestByCounts.run(joint, scores, answer.words(), best, room));
            return true;
        }
        return false;
    }

    /** The lowest indexes that the hard constraints let pass, judged some words at a time, more each time. */
    private static int firstToPass(PodPlan plan, long[] known, Answer answer, int[] best, int room) {
        int words = answer.words();
        long[] passed = answer.passed();
        int count = 0;
        int to = Math.min(words, FIRST_WORDS);
        for (int from = 0; from < words && count < room; ) {
            System.arraycopy(known, from, passed, from, to - from);
            FilterPass.retain(plan, answer, passed, from, to);
            count = take(passed, from, to, best, count, room);
            int next = Math.min(words, to + Math.min(MOST_WORDS, (to - from) * 4));
            from = to;
            to = next;
        }
        return count;
    }

    private static int byIndex(Answer answer, int[] best, int room) {
        return take(answer.passed(), 0, answer.words(), best, 0, room);
    }

    /** Adds the slots of words {@code from} to {@code to} to the {@code had} in {@code best}, until there are {@code room}. */
    private static int take(long[] slots, int from, int to, int[] best, int had, int room) {
        int count = had;
        for (int w = from; w < to && count < room; w++) {
            for (long left = slots[w]; left != 0 && count < room; left &= left - 1) {
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
