package io.evenkeel.engine.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that holes are closed a few at a time, while classes are added and removed and groups are built. */
final class ClassPositionsTest {
    private static final int MAX_CLASSES = 5_000;

    private final ClassPositions positions = new ClassPositions();
    private final TreeMap<Integer, Integer> positionOf = new TreeMap<>();
    private int moved;
    private int builds;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void classesStandIfTheyWereReported_andHolesAreClosed(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int nextClass = 0;
        int least = Integer.MAX_VALUE;
        for (int wave = 0; wave < 12; wave++) {
            boolean grows = wave % 2 == 0;
            int until = grows ? random.nextInt(MAX_CLASSES / 2, MAX_CLASSES) : random.nextInt(20);
            while (grows ? positionOf.size() < until : positionOf.size() > until) {
                moved = 0;
                if (random.nextInt(10) < (grows ? 8 : 2)) {
                    int labelClass = nextClass++;
                    positionOf.put(labelClass, positions.add(labelClass, this::move));
                } else if (!positionOf.isEmpty()) {
                    Integer gone = positionOf.ceilingKey(random.nextInt(nextClass));
                    int labelClass = gone == null ? positionOf.firstKey() : gone;
                    positions.remove(Objects.requireNonNull(positionOf.remove(labelClass)), this::move);
                }
                assertTrue(moved <= 8, "moved at once: " + moved);
                buildSometimes(random);
            }
            check();
            least = Math.min(least, positions.limit());
        }
        assertTrue(least < MAX_CLASSES / 10, "positions left by thousands of classes that went: " + least);
    }

    /** No class moves while a build is in progress. */
    private void buildSometimes(SplittableRandom random) {
        if (builds > 0) {
            assertEquals(0, moved);
        }
        if (builds < 2 && random.nextInt(200) == 0) {
            positions.buildBegins();
            builds++;
        } else if (builds > 0 && random.nextInt(20) == 0) {
            positions.buildEnds();
            builds--;
        }
    }

    private void check() {
        List<Integer> standing = new ArrayList<>();
        for (int position = 0; position < positions.limit(); position++) {
            if (positions.at(position) != LabelClasses.NONE) {
                standing.add(positions.at(position));
                assertEquals(positionOf.get(positions.at(position)), position);
            }
        }
        assertEquals(
                new ArrayList<>(positionOf.keySet()), standing.stream().sorted().toList());
        assertEquals(standing.size(), positions.count());
    }

    private void move(int labelClass, int position) {
        moved++;
        assertTrue(positionOf.containsKey(labelClass), "a class that is not there must not move");
        positionOf.put(labelClass, position);
    }
}
