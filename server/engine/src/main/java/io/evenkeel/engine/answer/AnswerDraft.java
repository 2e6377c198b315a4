package io.evenkeel.engine.answer;

/**
 * An answer that is being computed: the results that the passes write, and their working memory. {@link Answer} shows
 * it to callers.
 */
final class AnswerDraft {
    final Verdicts verdicts = new Verdicts();
    final NodeScores scores = new NodeScores();
    final BestNodes best = new BestNodes();
    final Scratch scratch = new Scratch();
    private long[] top = {};
    private boolean hasTop;

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
        hasTop = false;
    }

    /** Begins the set of the nodes that have the best score. The caller must overwrite all of its words. */
    long[] beginTop() {
        if (top.length < verdicts.words()) {
            top = new long[verdicts.words()];
        }
        hasTop = true;
        return top;
    }

    long[] top() {
        if (!hasTop) {
            throw new IllegalStateException("the nodes with the best score were not asked for (Question.Detail.TOP)");
        }
        return top;
    }
}
