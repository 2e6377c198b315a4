package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IdTableTest {
    private final Map<Integer, Integer> valueOfId = new HashMap<>();
    private final Map<Integer, Integer> idOfValue = new HashMap<>();
    private int hashMask = -1;
    private final Table table = new Table();

    /** Ids whose content is one int. */
    private final class Table extends IdTable {
        @Override
        int hashOf(int id) {
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

    /** With few hashes nearly everything is far from where its search begins. */
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
                table.remove(known);
                valueOfId.remove(known);
                idOfValue.remove(value);
            } else if (known == null) {
                put(value * 3, value);
            }
            assertEquals(idOfValue.size(), table.size());
        }
        idOfValue.forEach((value, id) -> assertEquals(id, table.find(value)));
    }

    @Test
    void idsOfManyBits_leaveNoRoomForTags_andAreFound() {
        int[] ids = {0, 1 << 20, 1 << 25, (1 << 27) - 2};
        for (int i = 0; i < ids.length; i++) {
            put(ids[i], i);
            for (int j = 0; j <= i; j++) {
                assertEquals(ids[j], table.find(j));
            }
        }
    }

    @Test
    void idsOfTooManyBits_areRefused() {
        valueOfId.put(1 << 28, 0);
        assertThrows(IllegalStateException.class, () -> table.insert(1 << 28, 0));
    }

    @Test
    void idThatIsNotThere_cannotBeRemoved() {
        valueOfId.put(5, 5);
        assertThrows(IllegalStateException.class, () -> table.remove(5));
    }

    private void put(int id, int value) {
        valueOfId.put(id, value);
        idOfValue.put(value, id);
        table.insert(id, value & hashMask);
    }
}
