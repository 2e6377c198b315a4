package io.evenkeel.engine.answer;

/**
 * An answer that is being computed: the results that the passes write, and their working memory. {@link Answer} shows
 * it to callers.
 */
final class AnswerDraft {
    final Verdicts verdicts = new Verdicts();
    final NodeScores scores = new NodeScores();
    final BestNodes best = new BestNodes();
    final TopNodes top = new TopNodes();
    final Scratch scratch = new Scratch();

    /**
     * Empties it.
     *
     * @param nodes how many nodes the cluster has
     * @param words how many words a set of all its slots has
     */
    void begin(int nodes, int words) {
        verdicts.begin(nodes, words);
        scores.begin();
        best.begin();
        top.begin();
    }
}
