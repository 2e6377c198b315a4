package io.evenkeel.engine.answer;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.EntryRules;

/**
 * A question about a pod: the candidates, and what the answer must hold.
 *
 * @param rules which rules before the constraints exclude candidates
 * @param filter whether the hard constraints exclude candidates
 * @param score whether the remaining candidates are scored by the soft constraints
 * @param best how many of the best nodes to choose; at least 0
 * @param detail what is wanted in addition to the best nodes
 */
public record Question(
        NodeSubset candidates, EntryRules rules, boolean filter, boolean score, int best, Detail detail) {
    /** What is wanted in addition to the best nodes. Less detail is faster. */
    public enum Detail {
        /** The verdict and the score of every candidate. */
        SCORES,
        /** The verdict of every candidate, and scores of the best nodes only. */
        VERDICTS,
        /** Nothing: only the best nodes and their scores. */
        BEST,
        /** Nothing: only all nodes that have the best score. */
        TOP
    }

    public Question {
        if (best < 0) {
            throw new IllegalArgumentException("best must be at least 0, was " + best);
        }
    }

    /** Asks for the verdict on each candidate. */
    public static Question filter(NodeSubset candidates) {
        return new Question(candidates, EntryRules.NONE, true, false, 0, Detail.SCORES);
    }

    /** Asks for the score of each candidate, without the hard constraints. */
    public static Question score(NodeSubset candidates, int best) {
        return new Question(candidates, EntryRules.NONE, false, true, best, Detail.SCORES);
    }

    /** Asks for the verdicts, the scores of those that passed, and the best of these. */
    public static Question evaluate(NodeSubset candidates, int best) {
        return new Question(candidates, EntryRules.NONE, true, true, best, Detail.SCORES);
    }

    /** The same question with rules that exclude candidates before the constraints do. */
    public Question under(EntryRules others) {
        return new Question(candidates, others, filter, score, best, detail);
    }

    /** The same question with scores of the best nodes only. */
    public Question withoutScores() {
        return new Question(candidates, rules, filter, score, best, Detail.VERDICTS);
    }

    /** The same question for the best nodes only, which is much faster than judging every node. */
    public Question bestAlone() {
        return new Question(candidates, rules, filter, score, best, Detail.BEST);
    }

    /** Asks for all nodes that have the best score of those that pass; without scores, for all that pass. */
    public static Question top(NodeSubset candidates, boolean score) {
        return new Question(candidates, EntryRules.NONE, true, score, 0, Detail.TOP);
    }

    /** Whether the answer depends on what is free on nodes. */
    public boolean isFitting() {
        return rules == EntryRules.FITTING;
    }

    /** Asks only for the best of the nodes that pass. */
    public static Question best(NodeSubset candidates, int best) {
        return evaluate(candidates, best).bestAlone();
    }
}
