package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LabelClassesTest {
    private final StringTable strings = new StringTable();
    private final LabelClasses classes = new LabelClasses(strings);
    private final Namespace shop = new Namespace(0, "shop");
    private final Namespace bank = new Namespace(1, "bank");

    @Test
    void labelsInAnyOrder_areOneClass() {
        int there = classes.acquire(shop, pod("a", "1", "b", "2", "c", "3"));
        assertEquals(there, classes.acquire(shop, pod("c", "3", "a", "1", "b", "2")));
        assertEquals(there, classes.find(shop, pod("b", "2", "c", "3", "a", "1")));
        assertNotEquals(there, classes.acquire(bank, pod("a", "1", "b", "2", "c", "3")));
        assertNotEquals(there, classes.acquire(shop, pod("a", "1", "b", "2")));
        assertEquals(3, classes.size());
    }

    @Test
    void keyGivenTwice_hasTheLaterValue() {
        int there = classes.acquire(shop, pod("a", "2", "b", "2"));
        assertEquals(there, classes.acquire(shop, pod("a", "1", "b", "2", "a", "2")));
        int fresh = classes.acquire(shop, pod("a", "x", "c", "y", "a", "z", "a", "v"));
        assertEquals(fresh, classes.find(shop, pod("c", "y", "a", "v")));
        classes.drop(there);
        classes.drop(fresh);
        assertEquals(0, strings.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 254, 255, 256, 20_000})
    void classOfAnyNumberOfLabels_isFound_andLeavesNothing(int count) {
        Map<String, String> labels = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            labels.put("key-" + i, "value-" + i);
        }
        PodRecord pod = PodRecord.of(new PodObject("shop", "p", "u", 0, labels, "", false, false));
        int there = classes.acquire(shop, pod);
        assertEquals(there, classes.find(shop, pod));
        assertEquals(shop, classes.namespaceOf(there));
        assertEquals(2 * count, strings.size());
        classes.drop(there);
        assertEquals(LabelClasses.NONE, classes.find(shop, pod));
        assertEquals(0, classes.size());
        assertEquals(0, strings.size());
        assertTrue(shop.isEmpty());
    }

    @Test
    void selectors_areSharedByTheClassesThatTheyMatch() {
        Selector web = selector("app", "web");
        Selector canary = selector("track", "canary");
        int both = classes.acquire(shop, pod("app", "web", "track", "canary"));
        int one = classes.acquire(shop, pod("app", "web", "pod", "web-0"));
        int other = classes.acquire(shop, pod("app", "web", "pod", "web-1"));
        assertEquals(List.of(web, canary), List.of(classes.matches(both)));
        assertTrue(classes.matches(one) == classes.matches(other), "one array for both");
        classes.removeMatch(both, web);
        assertEquals(List.of(canary), List.of(classes.matches(both)));
        classes.removeMatch(both, canary);
        assertEquals(List.of(), List.of(classes.matches(both)));
        classes.addMatch(both, web);
        assertTrue(classes.matches(both) == classes.matches(one), "the same set, however it came about");
        assertEquals(List.of(web), List.of(classes.matches(other)));
    }

    private Selector selector(String key, String value) {
        Selector selector = new Selector(shop, LabelSelector.ofLabels(Map.of(key, value)), strings);
        shop.add(selector);
        return selector;
    }

    /** A pod whose labels stand in the order given, as often as given. */
    private static PodRecord pod(String... texts) {
        StringBuilder all = new StringBuilder();
        List<Integer> ends = new ArrayList<>(List.of(0));
        for (String text : texts) {
            all.append(text);
            ends.add(all.length());
        }
        PodRecord pod = new PodRecord(all.toString().getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < texts.length; i += 2) {
            pod.addLabel(ends.get(i), ends.get(i + 1), ends.get(i + 1), ends.get(i + 2));
        }
        return pod;
    }
}
