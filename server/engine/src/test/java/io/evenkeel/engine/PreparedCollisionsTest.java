package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.index.AffinityKey;
import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.PagedSpace;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.engine.store.ClusterChanges;
import io.evenkeel.engine.store.ClusterStore;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.collections.IntArrayList;
import org.junit.jupiter.api.Test;

/** Tests that keys which collide under well-known hashes do not collide in the engine's tables. */
final class PreparedCollisionsTest {
    private static final int MANY = 20_000;

    /** In cells. At 3/4 full, random hashes lead to searches of a few dozen. */
    private static final int LONG_SEARCH = 150;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** An unkeyed hash of 8 bytes: XOR, multiply, fold. */
    private static final long FACTOR = 0xD6E8FEB86659FD93L;

    private static final long START = 0xF1BBCDCBFA53E0A8L;

    @Test
    void texts() {
        StringTable strings = new StringTable(PagedSpace.MAX_PAGES);
        for (int i = 0; i < MANY; i++) {
            byte[] text = new byte[Long.BYTES];
            LONGS.set(text, 0, wordOfHash(12345, i));
            assertEquals(12345, unkeyed(text));
            strings.acquire(text, 0, text.length, KeyedHash.of(text, 0, text.length));
        }
        assertEquals(MANY, strings.size());
        assertTrue(strings.longestSearch() < LONG_SEARCH, strings.longestSearch() + " cells");
    }

    @Test
    void uids() {
        ClusterStore store = new ClusterStore(64, 0);
        ClusterChanges changes = new ClusterChanges(store);
        for (int i = 0; i < MANY; i++) {
            UUID uid = new UUID(i, 777 - 31L * i);
            assertEquals(777, uid.getMostSignificantBits() * 31 + uid.getLeastSignificantBits());
            changes.pods.apply(Change.ADDED, pod(uid.toString(), "web-" + i));
        }
        assertEquals(MANY, store.pods.size());
        assertTrue(store.pods.longestSearch() < LONG_SEARCH, store.pods.longestSearch() + " cells");
    }

    /** Equal names are not a collision, but are searched for in the same place. */
    @Test
    void podsOfOneName() {
        ClusterStore store = new ClusterStore(64, 0);
        ClusterChanges changes = new ClusterChanges(store);
        for (int i = 0; i < MANY; i++) {
            changes.pods.apply(Change.ADDED, pod(new UUID(1, i).toString(), "web"));
        }
        assertTrue(store.pods.longestSearch() < LONG_SEARCH, store.pods.longestSearch() + " cells");
        assertEquals(MANY, web(store).size());
        for (int i = 0; i < MANY; i += 2) {
            changes.pods.apply(Change.DELETED, pod(new UUID(1, i).toString(), "web"));
        }
        assertEquals(MANY / 2, web(store).size());
        for (int i = 1; i < MANY; i += 2) {
            changes.pods.apply(Change.DELETED, pod(new UUID(1, i).toString(), "web"));
        }
        assertTrue(web(store).isEmpty());
        new IndexValidator(store).validate();
    }

    private static IntArrayList web(ClusterStore store) {
        IntArrayList found = new IntArrayList();
        store.find(PodKey.ofName("shop", "web"), found);
        return found;
    }

    @Test
    void selectors() {
        assertHashedApart(text -> PodSelector.ofLabels(Map.of("app", text)));
        assertHashedApart(text ->
                new PodSelector(List.of(new LabelRequirement(text, LabelRequirement.Operator.EXISTS, List.of()))));
    }

    /** A map's own hash is 0 for all of these, whatever the hash of a string. */
    @Test
    void labelsWhoseValuesAreTheirKeys() {
        assertHashedApart(text -> pod(Map.of(text, text), List.of()));
    }

    /**
     * A list's own hash adds multiples of its elements' hashes: a caller who knows the factor 31 can make long lists of
     * two elements collide, whatever their hashes are.
     */
    @Test
    void listsOfTwoTolerations() {
        TaintToleration one = new TaintToleration("a", "Exists", "", "");
        TaintToleration other = new TaintToleration("b", "Exists", "", "");
        List<List<TaintToleration>> alike = listsOfOneHash(one, other);
        assertEquals(alike.get(0).hashCode(), alike.get(1).hashCode());
        assertNotEquals(
                pod(Map.of(), alike.get(0)).hashCode(),
                pod(Map.of(), alike.get(1)).hashCode());
    }

    /**
     * Two lists that differ in the positions of the elements, so that the powers of 31 at the positions of one of them
     * have the same sum.
     */
    private static List<List<TaintToleration>> listsOfOneHash(TaintToleration one, TaintToleration other) {
        Map<Integer, Long> placesOfSum = new HashMap<>();
        Random random = new Random(1);
        while (true) {
            long places = random.nextLong();
            int sum = 0;
            for (int place = 0, power = 1; place < Long.SIZE; place++, power *= 31) {
                sum += (places >>> place & 1) == 0 ? 0 : power;
            }
            Long before = placesOfSum.put(sum, places);
            if (before != null) {
                return Stream.of(before, places)
                        .map(each -> IntStream.range(0, Long.SIZE)
                                .mapToObj(i -> (each >>> Long.SIZE - 1 - i & 1) == 0 ? one : other)
                                .toList())
                        .toList();
            }
        }
    }

    @Test
    void otherValuesThatMapsAreAskedFor() {
        assertHashedApart(text -> new NodeTerm(List.of(new NodeRequirement(text, "In", List.of())), List.of()));
        assertHashedApart(text -> new AffinityKey(Map.of("disk", text), null));
        assertHashedApart(text -> new ControllerRef("apps/v1", "ReplicaSet", text));
        assertHashedApart(text -> new SpreadConstraint(1, text, true, null, List.of(), 0, true, false));
        assertHashedApart(text -> new Eligibility.Key(List.of(text), AffinityKey.NONE, null));
        assertHashedApart(text -> PodKey.ofName(text, text));
    }

    /** Asserts that texts with the same {@link String#hashCode} get different hashes as parts of values. */
    private static void assertHashedApart(Function<String, Object> valueOf) {
        Set<Integer> hashes = new HashSet<>();
        IntStream.range(0, 1 << 14).forEach(i -> {
            StringBuilder text = new StringBuilder();
            for (int bit = 0; bit < 14; bit++) {
                text.append((i >>> bit & 1) == 0 ? "Aa" : "BB");
            }
            assertEquals("Aa".repeat(14).hashCode(), text.toString().hashCode());
            hashes.add(valueOf.apply(text.toString()).hashCode());
        });
        assertTrue(hashes.size() > (1 << 14) - 10, hashes.size() + " hashes");
    }

    private static long wordOfHash(int hash, int number) {
        long mixed = (long) number << Integer.SIZE | (hash ^ number) & 0xFFFF_FFFFL;
        long inverse = BigInteger.valueOf(FACTOR)
                .modInverse(BigInteger.ONE.shiftLeft(Long.SIZE))
                .longValue();
        return mixed * inverse ^ START;
    }

    private static int unkeyed(byte[] text) {
        long mixed = (START ^ (long) LONGS.get(text, 0)) * FACTOR;
        return (int) (mixed ^ mixed >>> Integer.SIZE);
    }

    private static PodRecord pod(String uid, String name) {
        return PodRecord.of(new PodObject("shop", name, uid, 0, Map.of(), "", false, false));
    }

    private static IncomingPod pod(Map<String, String> labels, List<TaintToleration> tolerations) {
        return new IncomingPod("shop", labels, Map.of(), null, tolerations, List.of(), null);
    }
}
