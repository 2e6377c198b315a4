package io.evenkeel.engine.answer;

import io.evenkeel.engine.cluster.CandidateNodes;

/**
 * What is asked about a pod.
 *
 * @param filter whether the hard constraints take candidates out
 * @param score whether what is left is scored by the soft constraints
 * @param best how many of the best nodes to pick out; 0 or more
 * @param detail what is wanted beside the best nodes
 */
public record Question(CandidateNodes candidates, boolean filter, boolean score, int best, Detail detail) {
    /** What is wanted beside the best nodes; the less, the faster. */
    public enum Detail {
        /** Every candidate's verdict and score. */
        SCORES,
        /** Every candidate's verdict; scores of the best nodes alone. */
        VERDICTS,
        /** Nothing: the best nodes and their scores alone. */
        BEST
    }

    public Question {
        if (best < 0) {
            throw new IllegalArgumentException("best must be at least 0, was " + best);
        }
    }

    /** The verdict on each candidate. */
    public static Question filter(CandidateNodes candidates) {
        return new Question(candidates, true, false, 0, Detail.SCORES);
    }

    /** The score of each candidate, whatever the hard constraints say. */
    public static Question score(CandidateNodes candidates, int best) {
        return new Question(candidates, false, true, best, Detail.SCORES);
    }

    /** Filter, then the score of those that passed, and the best of them. */
    public static Question evaluate(CandidateNodes candidates, int best) {
        return new Question(candidates, true, true, best, Detail.SCORES);
    }

    /** The same with the scores of the best nodes alone. */
    public Question withoutScores() {
        return new Question(candidates, filter, score, best, Detail.VERDICTS);
    }

    /** The same with nothing but the best nodes, which costs far less than to judge every node. */
    public Question bestAlone() {
        return new Question(candidates, filter, score, best, Detail.BEST);
    }

    /** Filter, then the best of those that passed, and nothing else. */
    public static Question best(CandidateNodes candidates, int best) {
        return evaluate(candidates, best).bestAlone();
    }
}
