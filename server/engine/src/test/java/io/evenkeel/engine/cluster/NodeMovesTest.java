package io.evenkeel.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.script.RandomChoices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which changes since an earlier revision a node table reports. */
final class NodeMovesTest {
    private static final int STEPS = 3 * NodeMoves.ROOM;

    private final NodeSlots nodes = new NodeSlots();
    private int made;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void table_isThatOfTheServer_afterAnyChangesAreApplied(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        List<NodeNameTable> earlier = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            move(dice);
            if (step % 256 == 0) {
                NodeNameTable now = new NodeNameTable(nodes);
                earlier.add(now);
                earlier.forEach(then -> mustLeadTo(now, then));
            }
        }
    }

    private void move(RandomChoices dice) {
        if (nodes.size() == 0 || dice.chance(nodes.size() < 200 ? 0.6 : 0.4)) {
            add("node-" + made++);
            return;
        }
        int slot = dice.below(nodes.limit());
        while (!nodes.isKnown(slot)) {
            slot = dice.below(nodes.limit());
        }
        nodes.free(slot);
    }

    private static void mustLeadTo(NodeNameTable now, NodeNameTable then) {
        int[] changes = now.changesSince(then.revision());
        if (now.revision() - then.revision() > NodeMoves.ROOM) {
            assertNull(changes);
            return;
        }
        Map<Integer, String> copy = names(then);
        for (int index : Objects.requireNonNull(changes)) {
            String name = now.name(index);
            if (name == null) {
                copy.remove(index);
            } else {
                copy.put(index, name);
            }
        }
        assertEquals(names(now), copy);
    }

    private static Map<Integer, String> names(NodeNameTable table) {
        Map<Integer, String> names = new TreeMap<>();
        for (int index = 0; index < table.limit(); index++) {
            String name = table.name(index);
            if (name != null) {
                names.put(index, name);
            }
        }
        return names;
    }

    @Test
    void slotGivenOutTwice_isReportedOnce() {
        int first = add("first");
        int other = add("other");
        long then = nodes.revision();
        nodes.free(other);
        nodes.free(first);
        add("second");
        nodes.free(first);
        add("third");
        assertArrayEquals(new int[] {first, other}, new NodeNameTable(nodes).changesSince(then));
    }

    @Test
    void tableOfTheRevisionItself_hasNoChanges() {
        add("first");
        assertArrayEquals(new int[0], new NodeNameTable(nodes).changesSince(nodes.revision()));
    }

    @Test
    void revisionsThatNeverWere_areNotKnown() {
        long without = nodes.revision();
        add("first");
        NodeNameTable now = new NodeNameTable(nodes);
        assertArrayEquals(new int[] {0}, now.changesSince(without));
        for (long never : List.of(without - 1, now.revision() + 1, Long.MIN_VALUE, Long.MAX_VALUE)) {
            assertNull(now.changesSince(never), "revision " + never);
        }
    }

    private int add(String name) {
        NodeObject node = new NodeObject(name, "uid of " + name, 0, Map.of(), List.of(), false);
        return nodes.occupy(0, node.uid(), new NodeSlots.Attributes(node, new int[0]));
    }
}
