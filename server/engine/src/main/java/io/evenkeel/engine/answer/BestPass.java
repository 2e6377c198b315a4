package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.plan.PodPlan;

/** Picks the best nodes of those that passed: higher scores first, equal scores by lower index. */
public final class BestPass {
    private static final int FIRST_WORDS = 8;
    private static final int MOST_WORDS = 512;

    private BestPass() {}

    /** Of an answer whose candidates are judged and, where there are soft constraints, scored. */
    public static void run(Answer answer, int howMany) {
        if (howMany == 0) {
            return;
        }
        int[] best = answer.beginBest(howMany);
        int room = Math.min(howMany, best.length);
        int words = answer.words();
        Answer.Scratch scratch = answer.scratch;
        answer.endBest(
                answer.isScored()
                        ? scratch.bestByPlanes.run(
                                scratch.planes, answer.passed(), words, best, answer.bestScores(), room)
                        : take(answer.passed(), 0, words, best, 0, room));
    }

    /**
     * Without judging every node of the cluster, where that can be; answers whether it could.
     *
     * @param known every node of the cluster, which all are candidates
     */
    public static boolean runAlone(PodPlan plan, long[] known, Answer answer, int howMany) {
        if (plan.soft.length == 0) {
            int[] best = answer.beginBest(howMany);
            answer.endBest(firstToPass(plan, known, answer, best, Math.min(howMany, best.length)));
            return true;
        }
        return plan.hard.length == 0 && byCounts(plan, answer, howMany);
    }

    /**
     * Of an answer whose candidates are judged, without scoring them all, where that can be; answers whether it could.
     */
    public static boolean runByCounts(PodPlan plan, Answer answer, int howMany) {
        return plan.joint != null
                && NodeBits.cardinality(answer.passed(), answer.words()) == answer.nodes()
                && byCounts(plan, answer, howMany);
    }

    /** Where every node of the cluster has passed. */
    private static boolean byCounts(PodPlan plan, Answer answer, int howMany) {
        JointHistogram joint = plan.joint;
        if (joint == null || !ScoreCells.areKept(plan, answer)) {
            return false;
        }
        int[] best = answer.beginBest(howMany);
        int room = Math.min(howMany, best.length);
        Answer.Scratch scratch = answer.scratch;
        scratch.cells.takeWhole(plan, joint, scratch);
        answer.beginBestScores();
        answer.endBest(scratch.bestByCounts.run(joint, scratch.cells, answer.words(), best, answer.bestScores(), room));
        return true;
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

    /**
     * Adds the slots of words {@code from} to {@code to} to the {@code had} in {@code best}, until there are
     * {@code room}.
     */
    static int take(long[] slots, int from, int to, int[] best, int had, int room) {
        int count = had;
        for (int w = from; w < to && count < room; w++) {
            for (long left = slots[w]; left != 0 && count < room; left &= left - 1) {
                best[count++] = w << 6 | Long.numberOfTrailingZeros(left);
            }
        }
        return count;
    }
}
