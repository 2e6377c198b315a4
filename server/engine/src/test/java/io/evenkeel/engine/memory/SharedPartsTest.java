package io.evenkeel.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SharedPartsTest {
    private static final class Part extends IndexPart {
        private final int key;
        private long bytes = 10;

        Part(int key) {
            this.key = key;
        }

        @Override
        public long bytes() {
            return bytes;
        }
    }

    private final PartBytes bytes = new PartBytes();
    private final List<Integer> dropped = new ArrayList<>();
    private final SharedParts<Integer, Part> parts = new SharedParts<>(bytes, (key, part) -> {
        assertEquals(key, part.key);
        dropped.add(key);
    });

    @Test
    void part_isSharedWhileItIsUsed_andDroppedWithItsLastUse() {
        Part part = parts.acquire(1, Part::new);
        assertSame(part, parts.acquire(1, Part::new));
        assertEquals(10, bytes.total());
        parts.release(part);
        assertEquals(List.of(), dropped);
        assertEquals(List.of(part), parts.all());
        part.bytes = 30;
        parts.account();
        assertEquals(30, bytes.total());
        assertEquals(30, parts.addUpBytes());
        parts.release(part);
        assertEquals(List.of(1), dropped);
        assertEquals(List.of(), parts.all());
        assertEquals(0, bytes.total());
        assertNotSame(part, parts.acquire(1, Part::new));
    }

    @Test
    void nothingChanges_whenThePartCannotBeMade() {
        assertThrows(
                CapacityException.class,
                () -> parts.acquire(1, key -> {
                    throw new CapacityException("no room");
                }));
        assertEquals(List.of(), parts.all());
        assertEquals(0, bytes.total());
        assertEquals(1, parts.acquire(1, Part::new).users());
    }

    @Test
    void release_isRefused_whenNoOneUsesThePart() {
        Part part = parts.acquire(1, Part::new);
        parts.release(part);
        assertThrows(IllegalStateException.class, () -> parts.release(part));
        assertEquals(List.of(1), dropped);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void partsStandWithoutGaps_whateverComesAndGoes(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<Integer, Integer> uses = new HashMap<>();
        Map<Integer, Part> known = new HashMap<>();
        for (int step = 0; step < 3_000; step++) {
            int key = random.nextInt(20);
            if (random.nextBoolean()) {
                Part part = parts.acquire(key, Part::new);
                assertEquals(uses.containsKey(key), part == known.put(key, part));
                uses.merge(key, 1, Integer::sum);
            } else if (uses.containsKey(key)) {
                parts.release(Objects.requireNonNull(known.get(key)));
                uses.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
            }
            assertEquals(uses.size(), parts.all().size());
            for (int place = 0; place < uses.size(); place++) {
                Part part = parts.all().get(place);
                assertEquals(place, part.place());
                assertEquals(uses.get(part.key), part.users());
            }
            assertEquals(10L * uses.size(), bytes.total());
        }
    }
}
