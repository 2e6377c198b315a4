package io.evenkeel.engine.answer;

import java.util.Arrays;

/**
 * The scores in an answer, one byte for each slot. It also knows which nodes have scores: each candidate, the best
 * nodes only, or none.
 */
final class NodeScores {
    private byte[] scores = {};

    /** Slots from here on have no score: the array holds leftovers of an earlier answer there. */
    private int limit;

    private boolean scored;
    private boolean each;

    /** Begins an answer: nothing is scored yet. */
    void begin() {
        scored = false;
        each = false;
    }

    /** Begins scores for each candidate. The caller must write all slots of the first {@code words} words. */
    byte[] beginEach(int words) {
        limit = words << 6;
        if (scores.length < limit) {
            scores = new byte[limit];
        }
        scored = true;
        each = true;
        return scores;
    }

    /** Begins scores for the best nodes only. */
    void beginBest() {
        scored = true;
    }

    boolean isScored() {
        return scored;
    }

    /** Whether each candidate has a score, or, without soft constraints, none has. */
    boolean isForEach() {
        return each || !scored;
    }

    /** The score of a slot; 0 if nothing is scored, and for slots beyond those that are scored. */
    int get(int slot) {
        return each && slot < limit ? scores[slot] : 0;
    }

    /** Writes the scores of the first {@code slots} slots. */
    void copy(int slots, byte[] target, int at) {
        if (each) {
            System.arraycopy(scores, 0, target, at, slots);
        } else {
            Arrays.fill(target, at, at + slots, (byte) 0);
        }
    }
}
