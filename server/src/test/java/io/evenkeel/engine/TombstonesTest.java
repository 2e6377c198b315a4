package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TombstonesTest {
    private final StringTable strings = new StringTable();

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64, 100})
    void oldestGoFirst_beyondTheLimit(int limit) {
        Tombstones tombstones = new Tombstones(limit, strings);
        for (int i = 0; i < 3 * limit; i++) {
            tombstones.bury(uid(i), 1);
            assertTrue(tombstones.holds(uid(i)));
            assertEquals(i >= limit, i == 0 ? false : !tombstones.holds(uid(Math.max(0, i - limit))));
        }
        for (int i = 0; i < 3 * limit; i++) {
            assertEquals(i >= 2 * limit, tombstones.holds(uid(i)));
        }
        assertTrue(strings.size() <= limit, "texts of UIDs that went are let go");
    }

    @Test
    void newestVersionToldOfAUid_holds() {
        Tombstones tombstones = new Tombstones(8, strings);
        for (Uid uid : new Uid[] {uid(0), uid(1)}) {
            tombstones.bury(uid, -1);
            tombstones.bury(uid, 5);
            assertFalse(tombstones.admits(uid, Change.ADDED, 6), "versions are unsigned");
            assertFalse(tombstones.admits(uid, Change.MODIFIED, 0));
            assertTrue(tombstones.admits(uid, Change.ADDED, 0));
            assertFalse(tombstones.holds(uid), "a UID that returned is not buried");
            assertTrue(tombstones.admits(uid, Change.MODIFIED, 1));
        }
    }

    @Test
    void nothingIsHeld_whereNoneMayBe() {
        Tombstones tombstones = new Tombstones(0, strings);
        tombstones.bury(uid(0), 1);
        assertFalse(tombstones.holds(uid(0)));
    }

    /** A UUID, or where {@code i} is odd text that is none. */
    private static Uid uid(int i) {
        return Uid.of(i % 2 == 0 ? new UUID(7, i).toString() : "pod-" + i);
    }
}
