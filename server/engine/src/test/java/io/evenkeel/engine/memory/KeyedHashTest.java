package io.evenkeel.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.TaintToleration;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class KeyedHashTest {
    @Test
    void texts_hashAlike_whereverTheyStand_andApartFromWhatIsNear() {
        Random random = new Random(1);
        Set<Integer> hashes = new HashSet<>();
        int texts = 0;
        for (int length = 0; length < 70; length++) {
            byte[] text = new byte[length];
            random.nextBytes(text);
            int hash = KeyedHash.of(text, 0, length);
            byte[] elsewhere = new byte[length + 9];
            random.nextBytes(elsewhere);
            System.arraycopy(text, 0, elsewhere, 5, length);
            assertEquals(hash, KeyedHash.of(elsewhere, 5, 5 + length));
            hashes.add(hash);
            texts++;
            for (int bit = 0; bit < Byte.SIZE * length; bit++) {
                text[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                hashes.add(KeyedHash.of(text, 0, length));
                text[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                texts++;
            }
        }
        assertTrue(hashes.size() > texts - 5, hashes.size() + " hashes of " + texts + " texts");
    }

    @Test
    void strings_hashApart_whateverTheirLength() {
        Set<Integer> hashes = new HashSet<>();
        for (int length = 0; length < 100; length++) {
            hashes.add(KeyedHash.of("\0".repeat(length)));
            hashes.add(KeyedHash.of("x".repeat(length) + "y"));
        }
        assertEquals(200, hashes.size());
    }

    @Test
    void mapsHashAlike_whateverTheirOrder_andListsDoNot() {
        Map<String, String> one = new LinkedHashMap<>();
        Map<String, String> other = new LinkedHashMap<>();
        one.put("a", "1");
        one.put("b", "2");
        other.put("b", "2");
        other.put("a", "1");
        assertEquals(KeyedHash.ofAll(one), KeyedHash.ofAll(other));
        assertNotEquals(KeyedHash.ofAll(one), KeyedHash.ofAll(Map.of("a", "2", "b", "1")));
        assertNotEquals(KeyedHash.ofAll(List.of("a", "b")), KeyedHash.ofAll(List.of("b", "a")));
        assertNotEquals(KeyedHash.ofAll(List.of("a"), List.of("b")), KeyedHash.ofAll(List.of("a", "b"), List.of()));
        assertNotEquals(KeyedHash.ofAll("a", null), KeyedHash.ofAll(null, "a"));
    }

    @Test
    void scatteredNumbers_areGathered() {
        Random random = new Random(2);
        for (int i = 0; i < 10_000; i++) {
            long number = i < 100 ? i - 50 : random.nextLong();
            assertEquals(number, KeyedHash.gather(KeyedHash.scatter(number)));
        }
        Set<Integer> scattered = new HashSet<>();
        for (int number = 0; number < 100_000; number++) {
            scattered.add(KeyedHash.scatter(number << 4));
        }
        assertEquals(100_000, scattered.size());
    }

    /** Maps of values require this: equal values have equal hashes. */
    @Test
    void equalPods_hashAlike() {
        assertEquals(pod().hashCode(), pod().hashCode());
        assertEquals(pod(), pod());
    }

    private static IncomingPod pod() {
        byte[] app = "app".getBytes(StandardCharsets.UTF_8);
        String key = new String(app, StandardCharsets.UTF_8);
        return new IncomingPod(
                "shop",
                Map.of(key, "web", "tier", "front"),
                Map.of("disk", "ssd"),
                List.of(new NodeTerm(List.of(new NodeRequirement("zone", "In", List.of("a", "b"))), List.of())),
                List.of(new TaintToleration("k", "Exists", "", "NoSchedule")),
                List.of(new SpreadConstraint(
                        1, "zone", true, PodSelector.ofLabels(Map.of(key, "web")), List.of("tier"), 2, true, false)),
                new ControllerRef("apps/v1", "ReplicaSet", "web"));
    }
}
