package io.evenkeel.engine.skew;

import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.LabelRequirements;
import io.evenkeel.engine.labels.Selector;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.store.ClusterStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;

/**
 * Finds the label classes of one namespace that a selector matches. A selector is compared only with the classes that
 * have one of the values of its anchor, the requirement that the fewest labels can meet.
 *
 * <pre>
 *   byKey    key id → value id → the classes with that label; a key is added when an anchor has it
 *   known    selector → the classes that it matches
 * </pre>
 */
final class ClassLookup {
    private final LabelClasses classes;
    private final StringTable strings;
    private final IntArrayList present;
    private final Int2ObjectHashMap<Int2ObjectHashMap<IntArrayList>> byKey = new Int2ObjectHashMap<>();
    private final Map<PodSelector, IntArrayList> known = new HashMap<>();

    /** @param present the classes of the namespace */
    ClassLookup(ClusterStore store, IntArrayList present) {
        this.classes = store.classes;
        this.strings = store.strings;
        this.present = present;
    }

    /** The classes that a selector matches. The list must not be changed. */
    IntArrayList matchedBy(PodSelector selector) {
        return known.computeIfAbsent(selector, this::match);
    }

    private IntArrayList match(PodSelector selector) {
        LabelRequirements requirements = new Selector(0, selector, strings).requirements;
        IntArrayList matched = new IntArrayList();
        int anchor = requirements.anchor();
        if (anchor == LabelRequirements.NONE || requirements.isExists(anchor)) {
            addMatched(present, requirements, matched);
        } else {
            Int2ObjectHashMap<IntArrayList> byValue =
                    byKey.computeIfAbsent(requirements.key(anchor), this::classesByValue);
            int[] values = requirements.values(anchor);
            for (int value : values.length < 2
                    ? values
                    : Arrays.stream(values).distinct().toArray()) {
                IntArrayList candidates = byValue.get(value);
                if (candidates != null) {
                    addMatched(candidates, requirements, matched);
                }
            }
        }
        return matched;
    }

    private void addMatched(IntArrayList candidates, LabelRequirements requirements, IntArrayList matched) {
        for (int i = 0; i < candidates.size(); i++) {
            int labelClass = candidates.getInt(i);
            if (classes.isMatched(labelClass, requirements)) {
                matched.addInt(labelClass);
            }
        }
    }

    private Int2ObjectHashMap<IntArrayList> classesByValue(int key) {
        Int2ObjectHashMap<IntArrayList> byValue = new Int2ObjectHashMap<>();
        for (int i = 0; i < present.size(); i++) {
            int labelClass = present.getInt(i);
            int value = classes.valueOf(labelClass, key);
            if (value != StringTable.NONE) {
                byValue.computeIfAbsent(value, none -> new IntArrayList()).addInt(labelClass);
            }
        }
        return byValue;
    }
}
