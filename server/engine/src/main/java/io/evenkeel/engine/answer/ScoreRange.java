package io.evenkeel.engine.answer;

/** Between which raw scores the nodes considered are, and so the score that each raw score becomes. */
final class ScoreRange {
    private long min;
    private long max;

    /** Of no node yet. */
    void begin() {
        min = Long.MAX_VALUE;
        max = 0;
    }

    /** Some nodes have raw scores between these two, each of which one of them has. */
    void cover(long least, long greatest) {
        min = Math.min(min, least);
        max = Math.max(max, greatest);
    }

    /** 0 to 100; higher is better. */
    int score(long raw) {
        return (int) (max == 0 ? 100 : 100 * (max + min - raw) / max);
    }
}
