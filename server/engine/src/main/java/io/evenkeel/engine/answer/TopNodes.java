package io.evenkeel.engine.answer;

/** All nodes that have the best score of those that passed, as a set of slots. */
final class TopNodes {
    private long[] slots = {};
    private int score;
    private boolean found;

    /** Begins an answer without this set. */
    void begin() {
        found = false;
    }

    /** Begins the set. The caller must overwrite all of its {@code words} words. */
    long[] begin(int words) {
        if (slots.length < words) {
            slots = new long[words];
        }
        found = true;
        score = 0;
        return slots;
    }

    /** Sets the score of the nodes. */
    void score(int itsScore) {
        score = itsScore;
    }

    long[] slots() {
        if (!found) {
            throw new IllegalStateException("the nodes with the best score were not asked for (Question.Detail.TOP)");
        }
        return slots;
    }

    int score() {
        return score;
    }
}
