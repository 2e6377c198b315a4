package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;

/**
 * The Score pass: scores the nodes that passed by the soft constraints (kube-scheduler's PodTopologySpread PreScore,
 * Score and NormalizeScore).
 *
 * <p>Raw score of a node: the sum over constraints, in order, of {@code count × weight + (maxSkew − 1)} in double
 * arithmetic, rounded half away from zero; a constraint whose topology key the node does not have adds nothing. The
 * weight is {@code ln(size + 2)}; size is the number of domains among the nodes considered, for hostname the number of
 * those nodes. Normalised in integers: {@code 100 × (max + min − raw) / max}, or 100 for all nodes if max is 0.
 */
final class ScorePass {
    private ScorePass() {}

    /**
     * Writes the scores to the {@link ScorePlanes} of the answer.
     *
     * @param everyScore whether the score of each node is wanted too
     */
    static void run(PodPlan plan, AnswerDraft answer, boolean everyScore) {
        if (plan.soft.length == 0) {
            return;
        }
        Scratch scratch = answer.scratch;
        int words = answer.verdicts.words();
        boolean inCells = intoCells(plan, answer);
        if (inCells) {
            scratch.cells.rate(words);
            scratch.planes.begin(words);
        }
        if (!inCells || !scratch.planes.score(scratch.cells, words)) {
            runByNode(plan, answer);
        }
        if (everyScore) {
            scratch.planes.write(words, answer.scores.beginEach(words));
        } else {
            answer.scores.beginBest();
        }
    }

    /** Writes the scores to the {@link ScorePlanes}, node by node, for nodes that cells cannot be made of. */
    static void runByNode(PodPlan plan, AnswerDraft answer) {
        Scratch scratch = answer.scratch;
        int words = answer.verdicts.words();
        scratch.planes.begin(words);
        scratch.byNode.run(plan, considered(plan, answer), words, scratch.planes);
    }

    /** Divides the nodes considered into cells; returns whether that was possible. There must be soft constraints. */
    static boolean intoCells(PodPlan plan, AnswerDraft answer) {
        Verdicts verdicts = answer.verdicts;
        ScoreCells cells = answer.scratch.cells;
        boolean whole = verdicts.everyNodeInAll(plan.soft) && verdicts.everyNodePassed();
        JointHistogram joint = plan.joint;
        if (whole && joint != null && joint.holds()) {
            cells.takeWhole(plan, joint);
            return true;
        }
        return cells.take(plan, considered(plan, answer), whole, verdicts.words());
    }

    /**
     * The nodes considered: with kube-scheduler's own defaults all that passed, otherwise those that have every soft
     * topology key. Scoring ignores the others.
     */
    private static long[] considered(PodPlan plan, AnswerDraft answer) {
        Verdicts verdicts = answer.verdicts;
        if (verdicts.everyNodeInAll(plan.soft)) {
            return verdicts.passed();
        }
        int words = verdicts.words();
        long[] considered = answer.scratch.considered(words);
        System.arraycopy(verdicts.passed(), 0, considered, 0, words);
        if (plan.ignoresIncompleteNodes) {
            for (PlannedConstraint constraint : plan.soft) {
                NodeBits.and(considered, constraint.label().carriers(), 0, words);
            }
        }
        return considered;
    }
}
