package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.EmptySlotException;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.cluster.UnknownNodeTableException;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that candidates given as slots of an earlier node table get the same answers as the same candidates given by
 * name.
 */
final class CandidateSlotsTest {
    private static final int STEPS = 2_000;
    private static final int NAMES = 120;

    /** More moves than an engine remembers. */
    private static final int MANY_MOVES = 4_097;

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
    private final PodPlan plan = engine.plan(World.web(), SpreadDefaults.NONE);

    @AfterEach
    void index_isWhatARecountSays() {
        IndexValidator.validate(engine);
    }

    /** The same nodes, by slot and by name. */
    private record Choice(NodeSubset bySlot, List<String> names) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void slots_areTheNodesOfTheirTable_whateverCameAndWentSince(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        List<Choice> choices = new ArrayList<>();
        Answer bySlot = new Answer();
        int withUnknown = 0;
        for (int step = 0; step < STEPS; step++) {
            move(dice);
            if (dice.chance(0.2)) {
                choices.add(choose(dice));
            }
            if (!choices.isEmpty() && dice.chance(0.5)) {
                // Some are asked about often, and others for the first time long after they were chosen.
                Choice choice = dice.pick(choices.subList(0, Math.min(choices.size(), 1 + step / 20)));
                ask(choice.bySlot, bySlot);
                Answer byName = ask(NodeSubset.named(choice.names), new Answer());
                assertEquals(candidates(byName), candidates(bySlot), "step " + step);
                assertEquals(
                        new TreeSet<>(byName.unknownCandidates()),
                        new TreeSet<>(bySlot.unknownCandidates()),
                        "step " + step);
                assertEquals(
                        byName.unknownCandidates().size(),
                        bySlot.unknownCandidates().size());
                withUnknown += bySlot.unknownCandidates().isEmpty() ? 0 : 1;
            }
        }
        assertTrue(withUnknown > STEPS / 10, withUnknown + " answers had unknown candidates");
    }

    /** Adds, removes, renames or replaces a node. */
    private void move(RandomChoices dice) {
        String name = "node-" + dice.below(NAMES);
        String uid = "uid-" + dice.below(NAMES);
        write(dice.chance(0.4) ? Change.DELETED : Change.ADDED, name, uid);
    }

    private Choice choose(RandomChoices dice) {
        NodeNameTable table = engine.nodeNames();
        long[] slots = new long[NodeBits.words(table.limit()) + dice.below(2)];
        List<String> names = new ArrayList<>();
        double part = dice.pick(List.of(0.05, 0.5, 1.0));
        for (int slot = 0; slot < table.limit(); slot++) {
            String name = table.name(slot);
            if (name != null && dice.chance(part)) {
                NodeBits.set(slots, slot);
                names.add(name);
            }
        }
        return new Choice(NodeSubset.ofSlots(table.revision(), slots), names);
    }

    @Test
    void slotOfANodeThatWent_isListedByItsName_thoughAnotherNodeHasTheSlot() {
        write(Change.ADDED, "a", "uid-a");
        write(Change.ADDED, "b", "uid-b");
        NodeSubset both = slotsNow(0, 1);
        write(Change.DELETED, "a", "uid-a");
        write(Change.ADDED, "c", "uid-c");
        Answer answer = ask(both, new Answer());
        assertEquals(Set.of("b"), candidates(answer));
        assertEquals(List.of("a"), answer.unknownCandidates());
        write(Change.ADDED, "a", "uid-a2");
        assertEquals(Set.of("a", "b"), candidates(ask(both, answer)));
        assertEquals(List.of(), answer.unknownCandidates());
    }

    @Test
    void slotWithoutANode_isRefused_wheneverItHadNone() {
        write(Change.ADDED, "a", "uid-a");
        write(Change.ADDED, "b", "uid-b");
        write(Change.DELETED, "a", "uid-a");
        NodeSubset first = slotsNow(0);
        NodeSubset second = slotsNow(1, 700);
        assertRefused(0, first);
        assertRefused(700, second);
        write(Change.ADDED, "c", "uid-c");
        // The slot has a node now, but a different one.
        assertRefused(0, first);
        assertRefused(700, second);
    }

    private void assertRefused(int slot, NodeSubset candidates) {
        EmptySlotException refused =
                assertThrows(EmptySlotException.class, () -> ask(candidates, new Answer()), "slot " + slot);
        assertEquals(slot, refused.slot());
    }

    @Test
    void slotsOfATableThatIsLongGone_areRefused_unlessTheyWereAskedAboutMeanwhile() {
        write(Change.ADDED, "a", "uid-a");
        NodeSubset kept = slotsNow(0);
        NodeSubset left = slotsNow(0);
        for (int move = 0; move < MANY_MOVES; move++) {
            if (move == MANY_MOVES / 2) {
                ask(kept, new Answer());
            }
            write(move % 2 == 0 ? Change.ADDED : Change.DELETED, "b", "uid-" + move / 2);
        }
        assertThrows(UnknownNodeTableException.class, () -> ask(left, new Answer()));
        assertEquals(Set.of("a"), candidates(ask(kept, new Answer())));
    }

    @Test
    void slots_areTheirNodesToTheEndOfABatch_thoughNodesComeAndGoBetweenItsSlices() {
        Answer answer = new Answer();
        askInSlices(answer, MANY_MOVES - 2);
        assertEquals(Set.of("b"), candidates(answer));
        assertEquals(List.of("a"), answer.unknownCandidates());
    }

    @Test
    void slots_areRefused_ifMoreNodesComeAndGoBetweenTwoSlicesThanAreRemembered() {
        assertThrows(UnknownNodeTableException.class, () -> askInSlices(new Answer(), 2 * MANY_MOVES));
    }

    /**
     * Asks about the nodes a and b in several slices. Between the first two, other nodes are added and removed, and
     * then a is removed.
     */
    private static void askInSlices(Answer answer, int moves) {
        SpreadEngine sliced = new SpreadEngine(
                EngineOptions.defaults(),
                System::nanoTime,
                Capacity.LARGEST,
                new Slices(() -> () -> true, Slices.PODS));
        write(sliced, Change.ADDED, "a", "uid-a");
        write(sliced, Change.ADDED, "b", "uid-b");
        PodPlan asked = sliced.plan(World.web(), SpreadDefaults.NONE);
        NodeSubset both = NodeSubset.ofSlots(sliced.nodeNames().revision(), new long[] {0b11});
        int[] checks = new int[1];
        sliced.evaluate(List.of(asked, asked, asked), Question.filter(both), answer, (each, place) -> {}, () -> {
            // The second check is the first one between two slices, without the lock.
            if (++checks[0] == 2) {
                for (int move = 0; move < moves; move++) {
                    write(sliced, move % 2 == 0 ? Change.ADDED : Change.DELETED, "c", "uid-" + move / 2);
                }
                write(sliced, Change.DELETED, "a", "uid-a");
            }
            return false;
        });
        assertTrue(checks[0] > 2);
    }

    @Test
    void slotsOfATableToCome_areRefused() {
        write(Change.ADDED, "a", "uid-a");
        NodeSubset ahead = NodeSubset.ofSlots(engine.nodeNames().revision() + 1, new long[] {1});
        assertThrows(UnknownNodeTableException.class, () -> ask(ahead, new Answer()));
    }

    @Test
    void sameSlots_areResolvedForEachEngineByItself() {
        write(Change.ADDED, "a", "uid-a");
        NodeSubset slots = slotsNow(0);
        assertEquals(Set.of("a"), candidates(ask(slots, new Answer())));
        SpreadEngine empty = new SpreadEngine(EngineOptions.defaults());
        assertThrows(
                UnknownNodeTableException.class,
                () -> empty.evaluate(
                        empty.plan(World.web(), SpreadDefaults.NONE), Question.filter(slots), new Answer()));
    }

    private NodeSubset slotsNow(int... slots) {
        long[] bits = new long[NodeBits.words(1_000)];
        for (int slot : slots) {
            NodeBits.set(bits, slot);
        }
        return NodeSubset.ofSlots(engine.nodeNames().revision(), bits);
    }

    private Answer ask(NodeSubset candidates, Answer answer) {
        engine.evaluate(plan, Question.filter(candidates), answer);
        return answer;
    }

    private static Set<String> candidates(Answer answer) {
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < answer.names().limit(); i++) {
            if (answer.isCandidate(i)) {
                names.add(answer.names().name(i));
            }
        }
        return names;
    }

    private void write(Change change, String name, String uid) {
        write(engine, change, name, uid);
    }

    private static void write(SpreadEngine engine, Change change, String name, String uid) {
        NodeObject node = new NodeObject(name, uid, 0, Map.of(), List.of(), false);
        engine.write(writer -> writer.apply(change, node));
    }
}
