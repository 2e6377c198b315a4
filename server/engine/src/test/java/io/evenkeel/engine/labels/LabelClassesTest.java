package io.evenkeel.engine.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.engine.memory.PagedSpace;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.engine.script.RandomChoices;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LabelClassesTest {
    private final StringTable strings = new StringTable(PagedSpace.MAX_PAGES);
    private final LabelClasses classes = new LabelClasses(strings, PagedSpace.MAX_PAGES);
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

    /** More templates than {@link ClassMemo} has places, so that many share one. */
    @Test
    void eachTemplate_makesAClassOfItsOwn() {
        PodRecord pod = pod("a", "1");
        PodRecord bare = pod();
        int[] there = new int[40_000];
        int[] ofBare = new int[there.length];
        for (int i = 0; i < there.length; i++) {
            pod.setTemplate(template(i));
            there[i] = classes.acquire(shop, pod);
            bare.setTemplate(pod.template);
            ofBare[i] = classes.acquire(shop, bare);
        }
        assertEquals(2 * there.length, classes.size());
        for (int i = 0; i < there.length; i++) {
            pod.setTemplate(template(i));
            assertEquals(there[i], classes.find(shop, pod));
            assertEquals(there[i], classes.find(shop, pod));
            assertEquals(Map.of("a", "1"), classes.labels(there[i]));
            assertEquals(pod.template, PodTemplate.of(classes.template(there[i]), 0, 4));
            bare.setTemplate(template(i));
            assertEquals(ofBare[i], classes.find(shop, bare));
        }
        for (int i = 0; i < there.length; i++) {
            classes.drop(there[i]);
            classes.drop(ofBare[i]);
        }
        assertEquals(0, strings.size());
    }

    private static PodTemplate template(int number) {
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
        return PodTemplate.of(bytes, 0, bytes.length);
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

    @Test
    void keysGivenTwiceAmongMany_haveTheLaterValue() {
        List<String> texts = new ArrayList<>();
        Map<String, String> later = new LinkedHashMap<>();
        for (int i = 0; i < 300; i++) {
            String key = "key-" + i * 7 % 200;
            texts.add(key);
            texts.add("value-" + i);
            later.put(key, "value-" + i);
        }
        int there = classes.acquire(shop, pod(texts.toArray(String[]::new)));
        assertEquals(there, classes.find(shop, pod(later)));
        assertEquals(there, classes.acquire(shop, pod(later)));
        classes.drop(there);
        assertEquals(0, strings.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 254, 255, 256, 20_000})
    void classOfAnyNumberOfLabels_isFound_andLeavesNothing(int count) {
        Map<String, String> labels = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            labels.put("key-" + i, "value-" + i);
        }
        PodRecord pod = pod(labels);
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
    void selectors_areSharedByTheClassesOfAKind() {
        Selector web = selector("app", "web");
        Selector canary = selector("track", "canary");
        int both = classes.acquire(shop, pod("app", "web", "track", "canary"));
        classes.acquire(shop, pod("app", "web", "pod", "web-0"));
        int one = classes.acquire(shop, pod("app", "web", "pod", "web-1"));
        int other = classes.acquire(shop, pod("app", "web", "pod", "web-2"));
        assertEquals(List.of(web, canary), List.of(classes.matches(both)));
        assertSame(classes.matches(one), classes.matches(other), "one array for both");
        classes.removeMatches(shop, web);
        assertEquals(List.of(canary), List.of(classes.matches(both)));
        assertEquals(List.of(), List.of(classes.matches(one)));
        assertEquals(List.of(), List.of(classes.matches(other)));
        classes.removeMatches(shop, canary);
        assertEquals(List.of(), List.of(classes.matches(both)));
        classes.addMatch(one, web);
        assertEquals(List.of(web), List.of(classes.matches(one)));
        assertEquals(List.of(), List.of(classes.matches(other)));
        classes.addMatch(other, web);
        classes.addMatch(other, web);
        assertSame(classes.matches(one), classes.matches(other), "the same kind, however it came about");
    }

    @Test
    void labelsThatPodsHaveInCommon_standOnce() {
        for (int replica = 0; replica < 200; replica++) {
            for (int app = 0; app < 3; app++) {
                String[] labels = {"app", "app-" + app, "index", "" + replica, "pod", app + "-" + replica, "tier", "web"
                };
                int made = classes.acquire(replica % 2 == 0 ? shop : bank, pod(labels));
                if (replica > 1) {
                    assertEquals(2, classes.base(made).ownKeys.length, "a value for each of index and pod");
                }
            }
        }
        assertTrue(classes.bases() < 12, "there are " + classes.bases() + " bases");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void classes_areFoundAndMatchedByTheirLabels_howeverTheseAreParted(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        List<PodSelector> selectors = List.of(
                PodSelector.ofLabels(Map.of("a", "1")),
                PodSelector.ofLabels(Map.of("b", "2", "c", "3")),
                new PodSelector(
                        List.of(new LabelRequirement("d", LabelRequirement.Operator.NOT_IN, List.of("1", "2")))),
                new PodSelector(List.of(
                        new LabelRequirement("e", LabelRequirement.Operator.EXISTS, List.of()),
                        new LabelRequirement("a", LabelRequirement.Operator.DOES_NOT_EXIST, List.of()))));
        List<LabelRequirements> requirements = selectors.stream()
                .map(selector -> new LabelRequirements(selector.requirements(), strings))
                .toList();
        int kept = strings.size();
        Map<Map<String, String>, Integer> known = new HashMap<>();
        for (int step = 0; step < 3_000; step++) {
            Map<String, String> labels = new HashMap<>();
            for (String key : List.of("a", "b", "c", "d", "e")) {
                if (dice.chance(0.9)) {
                    labels.put(key, Integer.toString(dice.below(key.equals("c") ? 100 : 4)));
                }
            }
            Integer there = known.get(labels);
            assertEquals(there == null ? LabelClasses.NONE : there, classes.find(shop, pod(labels)));
            if (there == null) {
                int made = classes.acquire(shop, pod(labels));
                known.put(labels, made);
            } else if (dice.chance(0.7)) {
                classes.drop(there);
                known.remove(labels);
            }
            if (step % 100 == 0) {
                known.forEach((its, labelClass) -> {
                    for (int i = 0; i < selectors.size(); i++) {
                        assertEquals(selectors.get(i).matches(its), classes.isMatched(labelClass, requirements.get(i)));
                    }
                });
            }
        }
        assertEquals(known.size(), classes.size());
        known.values().forEach(classes::drop);
        assertEquals(0, classes.size());
        assertEquals(0, classes.bases());
        assertEquals(kept, strings.size());
    }

    /** Values in selectors may be large, and bounds on memory count only the selectors in use. */
    @Test
    @Timeout(60)
    void droppedClass_keepsNoSelector() throws InterruptedException {
        WeakReference<Selector> gone = matchAndDrop();
        selector("app", "db");
        // The kind that was built last is kept until the next one is built.
        classes.acquire(shop, pod("app", "db"));
        Await.until(() -> {
            System.gc();
            return gone.get() == null;
        });
    }

    private WeakReference<Selector> matchAndDrop() {
        Selector web = selector("app", "web");
        int one = classes.acquire(shop, pod("app", "web", "pod", "web-0"));
        int other = classes.acquire(shop, pod("app", "web"));
        classes.drop(one);
        classes.drop(other);
        shop.remove(web);
        classes.removeMatches(shop, web);
        return new WeakReference<>(web);
    }

    private Selector selector(String key, String value) {
        Selector selector = new Selector(shop.nextSelectorId(), PodSelector.ofLabels(Map.of(key, value)), strings);
        shop.add(selector);
        return selector;
    }

    private static PodRecord pod(Map<String, String> labels) {
        return PodRecord.of(new PodObject("shop", "p", "u", 0, labels, "", false, false));
    }

    /** A pod with these labels, in the given order and as often as given. */
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
