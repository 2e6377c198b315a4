package io.evenkeel.placement;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Carries out plans for random small clusters with little room, and judges each move and each chain of moves by
 * counting all pods again. None violates a constraint that was satisfied, unless the whole plan does.
 */
final class RebalanceChainPropertiesTest {
    private static final int FEW_CLUSTERS = 20;
    private static final int CLUSTERS = 150;

    private final PlanReplay replay = new PlanReplay();

    @Test
    void podsOfAChain_areAllAdmitted_onceAllItsMovesAreMade() {
        play(0, FEW_CLUSTERS);
    }

    @Test
    @Tag("long")
    void podsOfAChain_areAllAdmitted_onceAllItsMovesAreMade_inMoreClusters() {
        play(FEW_CLUSTERS, CLUSTERS);
        assertTrue(replay.impossible > 0);
        assertTrue(replay.violating > 0);
    }

    /** In these clusters, not all moves are possible together, and it matters which ones come last. */
    @ParameterizedTest
    @ValueSource(ints = {276, 2762, 2781})
    void movesThatArePossible_comeFirst(int seed) {
        play(seed);
        assertTrue(replay.chains + replay.impossible > 0);
    }

    private void play(int from, int end) {
        for (int seed = from; seed < end; seed++) {
            play(seed);
        }
        assertTrue(replay.chains > (end - from) / 20, "chains: " + replay.chains);
    }

    private void play(int seed) {
        CountedCluster cluster = CountedCluster.withLittleRoom(new Random(seed));
        replay.check(PlanReplay.plan(cluster), cluster, "seed " + seed);
    }
}
