package io.evenkeel.engine.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.script.RandomChoices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CountHistogramTest {
    private final CountHistogram histogram = new CountHistogram();
    private final List<Integer> held = new ArrayList<>();

    /**
     * Tests histograms with domains that are added, removed, and moved by one pod or all at once; with counts that are
     * close or far apart, near 0 or far from it.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void histogram_isThatOfTheCountsHeld(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        int domains = dice.between(1, 12);
        int farthest = dice.pick(List.of(5, 60, 3_000));
        for (int step = 0; step < 4_000; step++) {
            boolean rises = dice.chance(step / 400 % 3 == 2 ? 0.1 : 0.9);
            int pods = dice.below(farthest);
            if (held.size() < domains && dice.chance(0.2)) {
                add(dice.chance(0.3) ? pods : 0, dice.chance(0.1) ? 2 : 1);
            } else if (!held.isEmpty() && dice.chance(0.02)) {
                int at = dice.below(held.size());
                histogram.remove(held.remove(at));
            } else if (dice.chance(0.01)) {
                spread(dice, held.size(), farthest);
            } else if (!held.isEmpty()) {
                move(dice.below(held.size()), rises, dice.below(40));
            }
            check();
        }
    }

    @Test
    void largeCountsThatAreNearEachOther_takeFewBuckets() {
        add(0, 3);
        for (int pod = 0; pod < 150_000; pod++) {
            move(pod % 3, true, 1);
        }
        check();
        assertEquals(50_000, histogram.minimum());
        assertTrue(histogram.bytes() <= 64, "took " + histogram.bytes() + " bytes");
        for (int pod = 0; pod < 149_000; pod++) {
            move(pod % 3, false, 1);
        }
        check();
        assertTrue(histogram.bytes() <= 64, "took " + histogram.bytes() + " bytes");
        histogram.reset(3);
        histogram.spread(new int[] {50_010, 0, 50_000, 50_100});
        assertEquals(50_000, histogram.minimum());
        assertEquals(50_100, histogram.maximum());
        assertTrue(histogram.bytes() <= 2_048, "took " + histogram.bytes() + " bytes");
    }

    /** Like a new zone, which has no pods at first and fills up. */
    @Test
    void countsOfFewDomainsThatAreFarFromEachOther_takeFewBytes() {
        add(50_000, 3);
        add(0, 1);
        check();
        assertTrue(histogram.bytes() <= 512, "took " + histogram.bytes() + " bytes");
        move(0, true, 200);
        move(0, false, 300);
        check();
        move(3, true, 49_970);
        check();
        assertTrue(histogram.bytes() <= 1_024, "took " + histogram.bytes() + " bytes");
        histogram.remove(held.remove(3));
        histogram.remove(held.remove(0));
        check();
        histogram.reset(2);
        histogram.spread(new int[] {7, 900_000});
        assertTrue(histogram.bytes() <= 512, "took " + histogram.bytes() + " bytes");
        assertEquals(7, histogram.minimum());
        assertEquals(900_000, histogram.maximum());
        histogram.remove(7);
        assertEquals(900_000, histogram.minimum());
    }

    /** Counts one step from the end of a block of buckets, and whole blocks apart. */
    @ParameterizedTest
    @ValueSource(ints = {254, 255, 256, 257, 511, 512, 1_000_000})
    void countsFarFromEachOther_areMetByWalks(int far) {
        add(0, 3);
        add(far, 2);
        check();
        for (int step = 0; step < 3; step++) {
            move(3, true, 1);
            check();
        }
        for (int step = 0; step < 6; step++) {
            move(3, false, 1);
            check();
        }
        add(far / 2, 1);
        check();
        histogram.remove(held.remove(3));
        check();
        List<Integer> copied = new ArrayList<>();
        CountHistogram copy = histogram.copy();
        for (int count = copy.nextHeld(0); count != CountHistogram.NONE; count = copy.nextHeld(count + 1)) {
            copied.add(count);
        }
        assertEquals(List.of(0, far / 2, far), copied);
    }

    private void add(int count, int howMany) {
        histogram.add(count, howMany);
        held.addAll(Collections.nCopies(howMany, count));
    }

    private void move(int domain, boolean up, int pods) {
        for (int pod = 0; pod < pods && (up || held.get(domain) > 0); pod++) {
            if (up) {
                histogram.moveUp(held.get(domain));
            } else {
                histogram.moveDown(held.get(domain));
            }
            held.set(domain, held.get(domain) + (up ? 1 : -1));
        }
    }

    private void spread(RandomChoices dice, int domains, int farthest) {
        int from = dice.below(farthest * 10);
        int[] counts = new int[domains];
        for (int domain = 0; domain < domains; domain++) {
            counts[domain] = dice.chance(0.2) ? 0 : from + dice.below(farthest);
        }
        histogram.reset(domains);
        histogram.spread(counts);
        held.clear();
        Arrays.stream(counts).forEach(held::add);
    }

    private void check() {
        int least = held.stream().mapToInt(count -> count).min().orElse(0);
        int greatest = held.stream().mapToInt(count -> count).max().orElse(0);
        assertEquals(held.size(), histogram.domains());
        assertEquals(least, histogram.minimum());
        assertEquals(greatest, histogram.maximum());
        int[] at = new int[greatest + 5];
        held.forEach(count -> at[count]++);
        for (int count = Math.max(0, least - 5); count < at.length; count++) {
            if (histogram.domainsAt(count) != at[count]) {
                assertEquals(at[count], histogram.domainsAt(count), "at " + count);
            }
        }
        assertTrue(held.isEmpty() || greatest < histogram.limit());
        checkWalks();
    }

    /** Walks visit each count that is held once, whatever lies between them. */
    private void checkWalks() {
        List<Integer> rising = held.stream().distinct().sorted().toList();
        List<Integer> met = new ArrayList<>();
        for (int count = histogram.nextHeld(0); count != CountHistogram.NONE; count = histogram.nextHeld(count + 1)) {
            met.add(count);
        }
        assertEquals(rising, met);
        List<Integer> metFalling = new ArrayList<>();
        for (int count = histogram.lastHeld(Integer.MAX_VALUE);
                count != CountHistogram.NONE;
                count = histogram.lastHeld(count - 1)) {
            metFalling.add(0, count);
        }
        assertEquals(rising, metFalling);
    }
}
