package io.evenkeel.engine.answer;

/**
 * Working memory of the passes, which is kept for later calls. Contents that an earlier call has left must not affect
 * an answer.
 */
final class Scratch {
    final SlotSets sets = new SlotSets();
    final DomainWeights weights = new DomainWeights();
    final ScoreCells cells = new ScoreCells(weights);
    final ScorePlanes planes = new ScorePlanes();
    final ScoreByNode byNode = new ScoreByNode(weights);
    final BestByCounts bestByCounts = new BestByCounts();
    final BestByPlanes bestByPlanes = new BestByPlanes();
    final NodeTraits traits = new NodeTraits();
    final StockSums stockSums = new StockSums();
    private long[] considered = {};
    private long[] atMost = {};

    /** Room for the nodes considered. The caller must overwrite it. */
    long[] considered(int length) {
        if (considered.length < length) {
            considered = new long[length];
        }
        return considered;
    }

    /** Room for {@code WideCounts.retainAtMost}. The caller must overwrite it. */
    long[] atMost(int length) {
        if (atMost.length < length) {
            atMost = new long[length];
        }
        return atMost;
    }
}
