package io.evenkeel.engine.answer;

/** Working memory of the passes, kept from call to call. What an earlier call left in it must not show in an answer. */
final class Scratch {
    final DomainWeights weights = new DomainWeights();
    final ScoreCells cells = new ScoreCells(weights);
    final ScorePlanes planes = new ScorePlanes();
    final ScoreByNode byNode = new ScoreByNode(weights);
    final BestByCounts bestByCounts = new BestByCounts();
    final BestByPlanes bestByPlanes = new BestByPlanes();
    private long[] considered = {};
    private long[] atMost = {};

    /** To be written over. */
    long[] considered(int length) {
        if (considered.length < length) {
            considered = new long[length];
        }
        return considered;
    }

    /** To be written over. */
    long[] atMost(int length) {
        if (atMost.length < length) {
            atMost = new long[length];
        }
        return atMost;
    }
}
