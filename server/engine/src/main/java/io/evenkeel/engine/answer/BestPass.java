package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.plan.PodPlan;
import org.jspecify.annotations.Nullable;

/** Chooses the best of the nodes that passed: higher scores first, and lower indexes first among equal scores. */
final class BestPass {
    private static final int FIRST_WORDS = 8;
    private static final int MAX_WORDS = 512;

    private BestPass() {}

    /** Chooses among candidates that are judged and, if there are soft constraints, scored. */
    static void run(AnswerDraft answer, int howMany) {
        if (howMany == 0) {
            return;
        }
        long[] passed = answer.verdicts.passed();
        int words = answer.verdicts.words();
        BestNodes best = answer.best;
        best.begin(howMany, words);
        if (answer.scores.isScored()) {
            answer.scratch.bestByPlanes.run(answer.scratch.planes, passed, words, best);
        } else {
            best.add(passed, 0, words);
        }
    }

    /**
     * Chooses the best nodes without judging every node of the cluster, if that is possible; returns whether it was.
     *
     * @param known all nodes of the cluster, all of which are candidates
     */
    static boolean runAlone(PodPlan plan, long[] known, AnswerDraft answer, int howMany) {
        if (plan.soft.length == 0) {
            answer.best.begin(howMany, answer.verdicts.words());
            addFirstToPass(plan, known, answer);
            return true;
        }
        return plan.hard.length == 0 && byCounts(plan, answer, howMany);
    }

    /** Chooses among judged candidates without scoring all of them, if that is possible; returns whether it was. */
    static boolean runByCounts(PodPlan plan, AnswerDraft answer, int howMany) {
        return plan.joint != null && answer.verdicts.everyNodePassed() && byCounts(plan, answer, howMany);
    }

    /** Finds all of the candidates that passed that have the best score; without scores, all that passed. */
    static void top(PodPlan plan, AnswerDraft answer, boolean scored) {
        long[] passed = answer.verdicts.passed();
        int words = answer.verdicts.words();
        long[] top = answer.beginTop();
        if (!scored || plan.soft.length == 0) {
            System.arraycopy(passed, 0, top, 0, words);
        } else if (ScorePass.intoCells(plan, answer)) {
            if (!answer.scratch.cells.top(top, words)) {
                System.arraycopy(passed, 0, top, 0, words);
            }
        } else {
            ScorePass.runByNode(plan, answer);
            answer.scratch.bestByPlanes.top(answer.scratch.planes, passed, words, top);
        }
    }

    /** The joint histogram of the soft constraints, if every node of the cluster is in it; otherwise null. */
    private static @Nullable JointHistogram jointOf(PodPlan plan, AnswerDraft answer) {
        JointHistogram joint = plan.joint;
        return joint == null || !joint.holds() || !answer.verdicts.everyNodeInAll(plan.soft) ? null : joint;
    }

    /** Chooses by counts, if every node of the cluster has passed. */
    private static boolean byCounts(PodPlan plan, AnswerDraft answer, int howMany) {
        JointHistogram joint = jointOf(plan, answer);
        if (joint == null) {
            return false;
        }
        int words = answer.verdicts.words();
        ScoreCells cells = answer.scratch.cells;
        answer.best.begin(howMany, words);
        cells.takeWhole(plan, joint);
        cells.rate(words);
        answer.scores.beginBest();
        answer.scratch.bestByCounts.run(joint, cells, words, answer.best);
        return true;
    }

    /**
     * Adds the nodes with the lowest indexes that pass the hard constraints. It judges some words at a time, and more
     * each time.
     */
    private static void addFirstToPass(PodPlan plan, long[] known, AnswerDraft answer) {
        Verdicts verdicts = answer.verdicts;
        BestNodes best = answer.best;
        int words = verdicts.words();
        long[] passed = verdicts.passed();
        int to = Math.min(words, FIRST_WORDS);
        for (int from = 0; from < words && !best.isFull(); ) {
            System.arraycopy(known, from, passed, from, to - from);
            FilterPass.retain(plan, verdicts, answer.scratch, passed, from, to);
            best.add(passed, from, to);
            int next = Math.min(words, to + Math.min(MAX_WORDS, (to - from) * 4));
            from = to;
            to = next;
        }
    }
}
