package io.evenkeel.engine.answer;

/** The range of the raw scores of the nodes considered, which gives the score for each raw score. */
final class ScoreRange {
    private long min;
    private long max;

    /** Begins a range without nodes. */
    void begin() {
        min = Long.MAX_VALUE;
        max = 0;
    }

    /** Extends the range by nodes whose raw scores are from {@code least} to {@code greatest}. Both must occur. */
    void cover(long least, long greatest) {
        min = Math.min(min, least);
        max = Math.max(max, greatest);
    }

    /** The score for a raw score, 0 to 100; higher is better. */
    int score(long raw) {
        return (int) (max == 0 ? 100 : 100 * (max + min - raw) / max);
    }
}
