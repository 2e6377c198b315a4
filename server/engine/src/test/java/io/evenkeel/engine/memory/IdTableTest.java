package io.evenkeel.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IdTableTest {
    private final Map<Integer, Integer> valueOfId = new HashMap<>();
    private final Map<Integer, Integer> idOfValue = new HashMap<>();
    private int hashMask = -1;
    private int hashed;
    private final Table table = new Table();

    /** Ids whose content is one int. */
    private final class Table extends IdTable {
        @Override
        protected int hashOf(int id) {
            hashed++;
            return valueOfId.getOrDefault(id, 0) & hashMask;
        }

        int find(int value) {
            int hash = value & hashMask;
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                if (valueOfId.getOrDefault(at(cell), IdTable.NONE) == value) {
                    return at(cell);
                }
            }
            return NONE;
        }
    }

    /** With few hashes, nearly everything is far from its home cell. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0xF, 0})
    void randomChanges_areFoundAsInAMap(int mask) {
        hashMask = mask;
        Random random = new Random(1);
        int values = mask == -1 ? 20_000 : 300;
        for (int step = 0; step < values * 10; step++) {
            int value = random.nextInt(values);
            Integer known = idOfValue.get(value);
            assertEquals(known == null ? IdTable.NONE : known, table.find(value));
            boolean shrinking = step / values % 2 == 1;
            if (known != null && (shrinking || random.nextInt(4) == 0)) {
                take(value);
            } else if (known == null) {
                put(value * 3, value);
            }
            assertEquals(idOfValue.size(), table.size());
        }
        idOfValue.forEach((value, id) -> assertEquals(id, table.find(value)));
    }

    @Test
    void idsOfManyBits_leaveNoRoomForTags_andAreFound() {
        int[] ids = {0, 1 << 20, 1 << 25, (1 << 27) - 2, 1 << 27, 1 << 28, 1 << 29, 1 << 30, IdTable.LIMIT - 1};
        for (int i = 0; i < ids.length; i++) {
            put(ids[i], i);
            for (int j = 0; j <= i; j++) {
                assertEquals(ids[j], table.find(j));
            }
        }
        for (int i = 0; i < ids.length; i++) {
            table.remove(ids[i]);
            assertEquals(IdTable.NONE, table.find(i));
        }
    }

    /** Cells without a distance: only the hash shows the home cell. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0xFF})
    void idsOfThirtyBitsAndMore_areMovedAsOthersAre(int mask) {
        hashMask = mask;
        Random random = new Random(2);
        for (int step = 0; step < 30_000; step++) {
            int value = random.nextInt(1_000);
            Integer known = idOfValue.get(value);
            assertEquals(known == null ? IdTable.NONE : known, table.find(value));
            if (known == null) {
                put(IdTable.LIMIT - 1 - value, value);
            } else {
                take(value);
            }
        }
        idOfValue.forEach((value, id) -> assertEquals(id, table.find(value)));
    }

    @Test
    void moreContentsOfOneHashThanASegmentHolds_areRefused_andNothingIsChanged() {
        hashMask = 0;
        int held = 0;
        while (held < 100_000) {
            try {
                put(held, held);
            } catch (CapacityException e) {
                break;
            }
            held++;
        }
        assertTrue(held > 1_000 && held < 100_000, held + " were taken");
        valueOfId.remove(held);
        idOfValue.remove(held);
        assertEquals(held, table.size());
        for (int value = 0; value < held; value++) {
            assertEquals(value, table.find(value));
        }
        take(0);
        put(held, held);
        assertEquals(held, table.find(held));
    }

    /** The number of ids that one change may move does not depend on the size of the table. */
    @Test
    void table_growsAndShrinks_aSegmentAtATime() {
        int most = 0;
        for (int value = 0; value < 300_000; value++) {
            hashed = 0;
            put(value, value);
            most = Math.max(most, hashed);
        }
        for (int value = 0; value < 300_000; value++) {
            hashed = 0;
            take(value);
            most = Math.max(most, hashed);
        }
        assertEquals(0, table.size());
        assertTrue(most <= 2_048, most + " hashes were asked for by one change");
    }

    @Test
    void idThatIsNotThere_cannotBeRemoved() {
        valueOfId.put(5, 5);
        assertThrows(IllegalStateException.class, () -> table.remove(5));
    }

    private void take(int value) {
        int id = Objects.requireNonNull(idOfValue.get(value));
        table.remove(id);
        idOfValue.remove(value);
        valueOfId.remove(id);
    }

    private void put(int id, int value) {
        valueOfId.put(id, value);
        idOfValue.put(value, id);
        table.insert(id, value & hashMask);
    }
}
