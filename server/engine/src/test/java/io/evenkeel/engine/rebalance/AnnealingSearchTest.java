package io.evenkeel.engine.rebalance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests what a search takes. */
final class AnnealingSearchTest {
    private static final int PODS = 1_000_000;
    private static final int CONSTRAINTS = 20_000;
    private static final int DOMAINS = 1_000;

    @Test
    void constraintsThatCountNoneOfThePods_takeNoMemoryForThem() {
        List<AnnealingSearch.Counts> counts = new ArrayList<>();
        counts.add(new AnnealingSearch.Counts(new int[] {0, 1}, new int[] {PODS, 0}, 1, false));
        while (counts.size() < CONSTRAINTS) {
            counts.add(new AnnealingSearch.Counts(new int[] {0, 1}, new int[] {1, 1}, 1, false));
        }
        int[] now = {PODS, 0};
        AnnealingSearch.Pods pods = new AnnealingSearch.Pods(
                now, now, new int[] {0, 0}, new boolean[] {true, true}, new long[0], new int[] {0}, new int[0]);

        int[][] best =
                new AnnealingSearch(List.of(pods), new long[0][], counts, () -> false).search(new Bound(PODS, PODS));

        assertArrayEquals(now, best[0]);
    }

    /** Their sum is 1,000 times as high as the highest. */
    @Test
    void pods_takeMemoryForTheHighestCount_notForAll() {
        int[] domains = IntStream.range(0, DOMAINS).toArray();
        int[] counted = new int[DOMAINS];
        Arrays.fill(counted, PODS);
        AnnealingSearch.Counts counts = new AnnealingSearch.Counts(domains, counted, 1, false);
        int[] now = new int[DOMAINS];
        AnnealingSearch.Pods pods =
                new AnnealingSearch.Pods(now, now, now, new boolean[DOMAINS], new long[0], new int[] {0}, new int[0]);

        int[][] best =
                new AnnealingSearch(List.of(pods), new long[0][], List.of(counts), () -> false).search(new Bound(0, 0));

        assertArrayEquals(now, best[0]);
    }
}
