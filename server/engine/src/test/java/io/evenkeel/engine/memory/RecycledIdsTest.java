package io.evenkeel.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class RecycledIdsTest {
    private final RecycledIds ids = new RecycledIds();

    @Test
    void idsInUse_areDistinct_andNoMoreThanWereEverInUseAtOnce() {
        SplittableRandom random = new SplittableRandom(1);
        List<Integer> used = new ArrayList<>();
        int most = 0;
        for (int step = 0; step < 2_000; step++) {
            if (used.isEmpty() || random.nextInt(5) < 3) {
                used.add(ids.take());
            } else {
                ids.give(used.remove(random.nextInt(used.size())));
            }
            most = Math.max(most, used.size());
            assertEquals(used.size(), new TreeSet<>(used).size());
            assertEquals(most, ids.limit());
        }
    }

    @Test
    void allAreTaken_onlyWhileNoneIsGivenBack() {
        assertFalse(ids.areAllTaken(1));
        int id = ids.take();
        assertTrue(ids.areAllTaken(1));
        ids.give(id);
        assertFalse(ids.areAllTaken(1));
    }
}
