package io.evenkeel.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StringTableTest {
    private static final List<String> ODD =
            List.of("", "a", "ä€𝄞", "x".repeat(999), "x".repeat(1_000), "x".repeat(1_001), "y".repeat(200_000));

    private final StringTable table = new StringTable(PagedSpace.MAX_PAGES);

    @Test
    void textsOfAnyLength_areOneIdEach_untilNoOneUsesThem() {
        for (String text : ODD) {
            int id = table.acquire(text);
            assertEquals(id, table.acquire(text));
            assertEquals(id, table.find(text));
            assertEquals(text, table.get(id));
            table.release(id);
            assertEquals(id, table.find(text));
        }
        assertEquals(ODD.size(), table.size());
        for (String text : ODD) {
            table.release(table.find(text));
            assertEquals(StringTable.NONE, table.find(text));
        }
        assertEquals(0, table.size());
    }

    @Test
    void randomUses_areCountedAsInAMap() {
        Random random = new Random(3);
        Map<String, Integer> uses = new HashMap<>();
        for (int step = 0; step < 100_000; step++) {
            String text = text(random);
            int known = uses.getOrDefault(text, 0);
            int id = table.find(text);
            assertEquals(known == 0, id == StringTable.NONE);
            if (known > 0 && random.nextInt(3) > 0) {
                table.release(id);
                uses.put(text, known - 1);
            } else {
                assertEquals(text, table.get(table.acquire(text)));
                uses.put(text, known + 1);
            }
        }
        uses.values().removeIf(count -> count == 0);
        uses.keySet().forEach(text -> assertEquals(text, table.get(table.find(text))));
        assertEquals(uses.size(), table.size());
    }

    private static String text(Random random) {
        int number = random.nextInt(500);
        return Integer.toString(number).repeat(1 + number % 40);
    }

    @Test
    void name_thatIsALabelsValueToo_isStoredOnce() {
        int value = table.acquire("web-0");
        assertEquals(value, acquireName("web-0"));
        table.release(value);
        assertEquals(value, table.find("web-0"));
        assertTrue(is(value, "web-0"));
        table.releaseName(value);
        assertEquals(StringTable.NONE, table.find("web-0"));
    }

    @Test
    void name_thatIsNoOnesLabel_isNotFound() {
        int name = acquireName("web-0");
        assertEquals(StringTable.NONE, table.find("web-0"));
        assertNotEquals(name, table.acquire("web-0"));
        assertTrue(is(name, "web-0"));
        assertFalse(is(name, "web-1"));
        assertEquals("web-0", table.get(name));
        table.releaseName(name);
        assertEquals("web-0", table.get(table.find("web-0")));
    }

    @Test
    void placesOfTextsThatWent_areUsedAgain() {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(table.acquire("first-" + (1_000 + i)));
        }
        int highest = ids.stream().mapToInt(Integer::intValue).max().orElseThrow();
        ids.forEach(table::release);
        for (int i = 0; i < 1_000; i++) {
            assertTrue(table.acquire("other-" + (1_000 + i)) <= highest);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"%s", "web-%s", "app-0001-x7fk2-%s", "%s-of-a-long-name-that-ends-alike", "a-%s-b-1234567890"})
    void namesThatDifferInAFewCharacters_hashApart(String form) {
        Set<Integer> hashes = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            byte[] name = form.formatted(Integer.toString(i, 36)).getBytes(StandardCharsets.UTF_8);
            hashes.add(KeyedHash.of(name, 0, name.length));
        }
        assertTrue(hashes.size() > 19_990, hashes.size() + " hashes");
    }

    private int acquireName(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return table.acquireName(text, 0, text.length, KeyedHash.of(text, 0, text.length));
    }

    private boolean is(int name, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return table.is(name, bytes, 0, bytes.length);
    }
}
