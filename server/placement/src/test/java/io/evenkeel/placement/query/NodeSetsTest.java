package io.evenkeel.placement.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.placement.call.Limits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests who drops a node set, and what the limits count. */
final class NodeSetsTest {
    private static final int MOST_SETS = 3;
    private static final int MOST_NAMES = 10;

    private final NodeSets sets = new NodeSets(
            Limits.builder().nodeSets(MOST_SETS).nodeSetNames(MOST_NAMES).build());

    @Test
    void clientThatForgetsItsSet_leavesAnEqualOneOfAnotherAlone() {
        String one = sets.register(List.of("b", "a"));
        String other = sets.register(List.of("a", "b", "a"));
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
        String one = sets.register(numbered("node", MOST_NAMES));
        String other = sets.register(numbered("node", MOST_NAMES));
        assertEquals(2, sets.size());
        assertEquals(MOST_NAMES, sets.names());
        // So that both remember the nodes' slots together.
        assertSame(sets.find(one), sets.find(other));
    }

    @Test
    void setsWhoseNamesJoinToTheSameText_areTwo() {
        for (String between : List.of("", "\0")) {
            String one = sets.register(List.of("a", "b" + between + "c"));
            String other = sets.register(List.of("a" + between + "b", "c"));
            assertEquals(List.of("a", "b" + between + "c"), names(sets.find(one)));
            assertEquals(List.of("a" + between + "b", "c"), names(sets.find(other)));
        }
    }

    @Test
    void setUnusedLongest_goesFirst() {
        String first = sets.register(List.of("a"));
        String second = sets.register(List.of("b"));
        String third = sets.register(List.of("c"));
        assertEquals(List.of("a"), names(sets.find(first)));
        String fourth = sets.register(List.of("d"));
        assertNull(sets.find(second));
        assertEquals(MOST_SETS, sets.size());
        // Too many names drop as many sets as it takes.
        String large = sets.register(numbered("node", MOST_NAMES));
        for (String dropped : List.of(first, third, fourth)) {
            assertNull(sets.find(dropped));
        }
        assertEquals(MOST_NAMES, names(sets.find(large)).size());
        assertEquals(MOST_NAMES, sets.names());
    }

    @Test
    void setLargerThanTheLimitOfAllSets_isKeptAlone() {
        sets.register(List.of("a"));
        String large = sets.register(numbered("node", MOST_NAMES + 1));
        assertEquals(1, sets.size());
        assertEquals(MOST_NAMES + 1, names(sets.find(large)).size());
    }

    private static List<String> numbered(String name, int count) {
        List<String> numbered = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbered.add(name + (char) ('a' + i));
        }
        return numbered;
    }

    private static List<String> names(@Nullable CandidateNodes found) {
        return found == null ? List.of("(unknown)") : found.names();
    }
}
