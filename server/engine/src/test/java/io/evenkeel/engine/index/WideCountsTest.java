package io.evenkeel.engine.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.engine.script.RandomChoices;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WideCountsTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 65, 200})
    void planesMadeOfCounts_holdThem_andGiveThemBack(int domains) {
        RandomChoices dice = new RandomChoices(domains);
        int[] counts = new int[domains];
        Arrays.setAll(counts, domain -> dice.chance(0.3) ? 0 : dice.below(1 << dice.below(31)));
        WideCounts wide = new WideCounts(counts);
        WideCounts oneByOne = new WideCounts();
        for (int domain = 0; domain < domains; domain++) {
            assertEquals(counts[domain], wide.get(domain));
            oneByOne.set(domain, counts[domain]);
        }
        assertArrayEquals(counts, wide.toArray(domains));
        assertArrayEquals(counts, oneByOne.toArray(domains));
        assertEquals(0, wide.get(domains + 64));
    }

    @Test
    void countingOutOfAnEmptyDomain_isRefused() {
        WideCounts counts = new WideCounts();
        counts.increment(5);
        assertEquals(1, counts.decrement(5));
        assertThrows(IllegalStateException.class, () -> counts.decrement(5));
        assertEquals(0, counts.get(5));
    }
}
