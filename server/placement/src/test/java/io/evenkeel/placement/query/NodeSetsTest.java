package io.evenkeel.placement.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests when a node set is evicted, and what the limits count. */
final class NodeSetsTest {
    private static final int MAX_SETS = 3;
    private static final int MAX_NAMES = 10;

    private final NodeSets sets = new NodeSets(
            Limits.builder().nodeSets(MAX_SETS).nodeSetNames(MAX_NAMES).build());

    @Test
    void clientThatForgetsItsSet_leavesAnEqualOneOfAnotherAlone() {
        String one = register(sets, List.of("b", "a"));
        String other = register(sets, List.of("a", "b", "a"));
        assertNotEquals(one, other);
        sets.forget(one);
        sets.forget(one);
        assertNull(sets.find(one));
        assertEquals(List.of("a", "b"), names(sets.find(other)));
        sets.forget(other);
        assertEquals(0, sets.size());
        assertEquals(0, sets.names());
    }

    @Test
    void contentOfEqualSets_isCountedOnce() {
        String one = register(sets, numbered("node", MAX_NAMES));
        String other = register(sets, numbered("node", MAX_NAMES));
        assertEquals(2, sets.size());
        assertEquals(MAX_NAMES, sets.names());
        // Equal sets share one object, which caches the nodes' slots.
        assertSame(sets.find(one), sets.find(other));
    }

    @Test
    void setsWhoseNamesJoinToTheSameText_areTwo() {
        for (String between : List.of("", "\0")) {
            String one = register(sets, List.of("a", "b" + between + "c"));
            String other = register(sets, List.of("a" + between + "b", "c"));
            assertEquals(List.of("a", "b" + between + "c"), names(sets.find(one)));
            assertEquals(List.of("a" + between + "b", "c"), names(sets.find(other)));
        }
    }

    @Test
    void setUnusedLongest_goesFirst() {
        String first = register(sets, List.of("a"));
        String second = register(sets, List.of("b"));
        String third = register(sets, List.of("c"));
        assertEquals(List.of("a"), names(sets.find(first)));
        String fourth = register(sets, List.of("d"));
        assertNull(sets.find(second));
        assertEquals(MAX_SETS, sets.size());
        // If there are too many names, as many sets as needed are evicted.
        String large = register(sets, numbered("node", MAX_NAMES));
        for (String dropped : List.of(first, third, fourth)) {
            assertNull(sets.find(dropped));
        }
        assertEquals(MAX_NAMES, names(sets.find(large)).size());
        assertEquals(MAX_NAMES, sets.names());
    }

    @Test
    void setLargerThanTheLimitOfAllSets_isKeptAlone() {
        register(sets, List.of("a"));
        String large = register(sets, numbered("node", MAX_NAMES + 1));
        assertEquals(1, sets.size());
        assertEquals(MAX_NAMES + 1, names(sets.find(large)).size());
    }

    /** Room for two sets of two names. */
    private static NodeSets ofBytes() {
        return new NodeSets(Limits.builder().nodeSetBytes(4 * (64 + 6)).build());
    }

    @Test
    void bytes_areBoundedAsNamesAre() {
        NodeSets small = ofBytes();
        String first = register(small, numbered("node-", 2));
        String second = register(small, numbered("spot-", 2));
        assertEquals(4 * (64 + 6), small.bytes());
        assertEquals(2, names(small.find(first)).size());
        String third = register(small, List.of("x"));
        assertNull(small.find(second));
        assertEquals(2 * (64 + 6) + 64 + 1, small.bytes());
        small.forget(first);
        small.forget(third);
        assertEquals(0, small.bytes());
    }

    @Test
    void charactersOutsideLatin_takeTwoBytesEach() {
        NodeSets small = ofBytes();
        register(small, List.of("n\u00f8de"));
        assertEquals(64 + 4, small.bytes());
        register(small, List.of("\u8282\u70b9-1"));
        assertEquals(64 + 4 + 64 + 8, small.bytes());
    }

    @Test
    void setLargerThanAllMayBe_isRefused_andDropsNone() {
        NodeSets small = ofBytes();
        String kept = register(small, numbered("node-", 2));
        RequestException refused =
                assertThrows(RequestException.class, () -> register(small, List.of("a".repeat(217))));
        assertEquals(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, refused.reason());
        assertEquals("names", refused.violations().get(0).getField());
        assertEquals(
                "must take at most 280 bytes, including 64 bytes of overhead per name, took 281",
                refused.violations().get(0).getDescription());
        register(small, List.of("a".repeat(216 - 2 * 70)));
        assertEquals(2, names(small.find(kept)).size());
    }

    private static String register(NodeSets sets, List<String> names) {
        return sets.register(names, "names");
    }

    private static List<String> numbered(String name, int count) {
        List<String> numbered = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbered.add(name + (char) ('a' + i));
        }
        return numbered;
    }

    private static List<String> names(@Nullable NodeSubset found) {
        return found == null ? List.of("(unknown)") : found.names();
    }
}
