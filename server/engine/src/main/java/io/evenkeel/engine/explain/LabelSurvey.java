package io.evenkeel.engine.explain;

import io.evenkeel.engine.labels.LabelIds;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.memory.StringTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.agrona.collections.Int2IntHashMap;

/**
 * Finds labels that the pod asks for and that no node has. It reads all nodes without a lock: first the ids of texts,
 * and then the texts.
 */
final class LabelSurvey {
    private final StateForExplanation state;
    private final List<String> selected;
    private final Int2IntHashMap nodesOfKey = new Int2IntHashMap(0);

    LabelSurvey(StateForExplanation state) {
        this.state = state;
        selected = List.copyOf(state.plan.pod().nodeSelector().keySet());
    }

    /** Requests the texts that the survey shows. */
    void needTexts() {
        for (int place = 0; place < selected.size(); place++) {
            int key = state.selectedKey(place);
            forEachNode((slot, labels) -> {
                int value = key == StringTable.NONE ? StringTable.NONE : LabelIds.valueOf(labels, key);
                if (value != StringTable.NONE) {
                    state.need(value, slot);
                }
            });
        }
        // Only now that these values have been read is it known whether the texts are shown.
        if (!selected.isEmpty() || isAnyUncarried()) {
            forEachNode((slot, labels) -> {
                for (int i = 0; i < labels.length; i += 2) {
                    if (nodesOfKey.get(labels[i]) == 0) {
                        state.need(labels[i], slot);
                    }
                    nodesOfKey.put(labels[i], nodesOfKey.get(labels[i]) + 1);
                }
            });
        }
    }

    /** The labels of the pod's nodeSelector that no node has. */
    List<Explanation.AbsentLabel> absent() {
        SortedMap<String, Explanation.AbsentLabel> absent = new TreeMap<>();
        for (int place = 0; place < selected.size(); place++) {
            String key = selected.get(place);
            String wanted = state.plan.pod().nodeSelector().getOrDefault(key, "");
            SortedSet<String> values = valuesOf(state.selectedKey(place));
            if (!values.contains(wanted)) {
                List<String> some = values.stream()
                        .limit(Explanation.AbsentLabel.MAX_VALUES)
                        .toList();
                absent.put(key, new Explanation.AbsentLabel(key, wanted, some));
            }
        }
        return new ArrayList<>(absent.values());
    }

    private SortedSet<String> valuesOf(int key) {
        SortedSet<String> values = new TreeSet<>();
        if (key != StringTable.NONE) {
            forEachNode((slot, labels) -> {
                int value = LabelIds.valueOf(labels, key);
                if (value != StringTable.NONE) {
                    values.add(state.text(value));
                }
            });
        }
        return values;
    }

    /**
     * The label keys of all nodes, and how many nodes have each. Empty if some node has each topology key and each
     * label of the nodeSelector.
     */
    SortedMap<String, Integer> keysIfNeeded() {
        SortedMap<String, Integer> keys = new TreeMap<>();
        if (isAnyUncarried() || !absent().isEmpty()) {
            nodesOfKey.forEachInt((key, nodes) -> keys.put(state.text(key), nodes));
        }
        return keys;
    }

    private boolean isAnyUncarried() {
        return Stream.of(state.plan.hard, state.plan.soft)
                .flatMap(Arrays::stream)
                .map(constraint -> constraint.label().carriers())
                .anyMatch(carriers -> NodeBits.cardinality(carriers, carriers.length) == 0);
    }

    private interface NodeVisitor {
        void visit(int slot, int[] labels);
    }

    private void forEachNode(NodeVisitor visitor) {
        for (int slot = 0; slot < state.limit(); slot++) {
            if (state.isKnown(slot)) {
                visitor.visit(slot, state.node(slot).labels());
            }
        }
    }
}
