package io.evenkeel.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.script.RandomChoices;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that sets and tables of names, which follow the moves of nodes, are those that a look-up of all names yields.
 */
final class NodeSubsetTest {
    private static final int STEPS = 3_000;
    private static final int NAMES = 300;

    private final NodeSlots nodes = new NodeSlots();

    /** What the table must hold: the slot of each name. */
    private final Map<String, Integer> slots = new HashMap<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void names_areFoundWhereverTheirNodesHaveMoved(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        List<NodeSubset> sets = new ArrayList<>();
        NodeNameTable table = new NodeNameTable(nodes);
        for (int step = 0; step < STEPS; step++) {
            // Now and then, more nodes move than are remembered.
            int moves = dice.chance(0.002) ? 2 * NodeMoves.ROOM : 1 + dice.below(4);
            for (int move = 0; move < moves; move++) {
                move(dice);
            }
            if (dice.chance(0.05)) {
                sets.add(NodeSubset.named(IntStream.range(0, dice.below(NAMES))
                        .mapToObj(any -> name(dice))
                        .toList()));
            }
            if (dice.chance(0.7)) {
                table = table.now(nodes);
                mustBeCurrent(table);
            }
            if (!sets.isEmpty() && dice.chance(0.7)) {
                mustBeCurrent(dice.pick(sets));
            }
        }
        assertTrue(nodes.revision() > 4L * NodeMoves.ROOM, "revision " + nodes.revision());
    }

    /** Adds, removes or renames a node. */
    private void move(RandomChoices dice) {
        String name = name(dice);
        Integer slot = slots.remove(name);
        if (slot == null) {
            add(name);
            return;
        }
        nodes.free(slot);
        if (dice.chance(0.3)) {
            String other = name(dice);
            if (!slots.containsKey(other)) {
                add(other);
            }
        }
    }

    private static String name(RandomChoices dice) {
        return "node-" + dice.below(NAMES);
    }

    private void add(String name) {
        NodeObject node = new NodeObject(name, "uid of " + name, 0, Map.of(), List.of(), false);
        slots.put(name, nodes.occupy(0, node.uid(), new NodeSlots.Attributes(node, new int[0])));
    }

    private void mustBeCurrent(NodeSubset set) {
        ResolvedNodes resolved = set.resolve(nodes);
        long[] expected = new long[NodeBits.words(nodes.capacity())];
        Set<String> unknown = new HashSet<>(set.names());
        unknown.removeAll(slots.keySet());
        for (String name : set.names()) {
            if (slots.containsKey(name)) {
                NodeBits.set(expected, slots.get(name));
            }
        }
        assertArrayEquals(expected, resolved.slots());
        assertEquals(unknown, new HashSet<>(resolved.unknown()));
        assertEquals(unknown.size(), resolved.unknown().size());
    }

    private void mustBeCurrent(NodeNameTable table) {
        Map<String, Integer> names = new HashMap<>();
        for (int index = 0; index < table.limit(); index++) {
            String name = table.name(index);
            if (name != null) {
                names.put(name, index);
                assertEquals(name, new String(table.encodedName(index), StandardCharsets.UTF_8));
            }
        }
        assertEquals(slots, names);
        assertEquals(nodes.limit(), table.limit());
        assertEquals(nodes.revision(), table.revision());
    }

    @Test
    void table_keepsTheNamesThatItHas_whenANodeIsAdded() {
        add("first");
        NodeNameTable before = new NodeNameTable(nodes);
        byte[] encoded = before.encodedName(0);
        add("second");
        NodeNameTable after = before.now(nodes);
        assertSame(encoded, after.encodedName(0));
        assertEquals("second", after.name(1));
    }
}
