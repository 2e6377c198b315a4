package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.LabelRequirement;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.agrona.collections.IntArrayList;

/**
 * The requirements of a label selector, in ids of texts, so that matching compares ints. They have one use of each text
 * that they name.
 */
public final class LabelRequirements {
    public static final int NONE = -1;

    /** Bytes for an id, a text and, if the values belong to an anchor, an entry and an array of selectors. */
    private static final long BYTES_A_VALUE = 128;

    private final LabelRequirement.Operator[] operators;
    private final int[] keys;
    private final int[][] values;

    /** @throws CapacityException if there is no room for a text; nothing is changed */
    LabelRequirements(List<LabelRequirement> requirements, StringTable strings) {
        int size = requirements.size();
        operators = new LabelRequirement.Operator[size];
        keys = new int[size];
        values = new int[size][];
        IntArrayList taken = new IntArrayList();
        try {
            for (int i = 0; i < size; i++) {
                LabelRequirement requirement = requirements.get(i);
                operators[i] = requirement.operator();
                keys[i] = acquire(requirement.key(), strings, taken);
                values[i] = new int[requirement.values().size()];
                for (int v = 0; v < values[i].length; v++) {
                    values[i][v] = acquire(requirement.values().get(v), strings, taken);
                }
            }
        } catch (CapacityException full) {
            taken.forEachInt(strings::release);
            throw full;
        }
    }

    private static int acquire(String text, StringTable strings, IntArrayList taken) {
        int id = strings.acquire(text);
        taken.addInt(id);
        return id;
    }

    public void release(StringTable strings) {
        for (int key : keys) {
            strings.release(key);
        }
        for (int[] each : values) {
            for (int value : each) {
                strings.release(value);
            }
        }
    }

    /** For validation: calls {@code use} with each text that they name, as often as they name it. */
    public void forEachText(IntConsumer use) {
        for (int key : keys) {
            use.accept(key);
        }
        for (int[] each : values) {
            for (int value : each) {
                use.accept(value);
            }
        }
    }

    /** Whether the first {@code length} of {@code labels}, as {@link LabelIds}, meet all requirements. */
    boolean match(int[] labels, int length) {
        for (int i = 0; i < keys.length; i++) {
            if (!isMet(i, LabelIds.valueOf(labels, 0, length, keys[i]))) {
                return false;
            }
        }
        return true;
    }

    /** Whether the labels of a class meet all requirements. Its own values begin at {@code from} in {@code own}. */
    boolean match(LabelBase base, int[] own, int from) {
        for (int i = 0; i < keys.length; i++) {
            if (!isMet(i, base.valueOf(keys[i], own, from))) {
                return false;
            }
        }
        return true;
    }

    private boolean isMet(int requirement, int value) {
        boolean present = value != StringTable.NONE;
        return switch (operators[requirement]) {
            case IN -> present && contains(values[requirement], value);
            case NOT_IN -> !present || !contains(values[requirement], value);
            case EXISTS -> present;
            case DOES_NOT_EXIST -> !present;
        };
    }

    /**
     * The requirement that the fewest label sets can meet: the In with the fewest values, otherwise an Exists,
     * otherwise NONE.
     */
    public int anchor() {
        int best = NONE;
        for (int i = 0; i < keys.length; i++) {
            boolean in = operators[i] == LabelRequirement.Operator.IN;
            if (in && (best == NONE || isExists(best) || values[i].length < values[best].length)
                    || best == NONE && isExists(i)) {
                best = i;
            }
        }
        return best;
    }

    /**
     * Roughly how many bytes they take, with the texts that they use and their entries in the anchors of a namespace.
     */
    long bytes() {
        long bytes = 64;
        for (int[] each : values) {
            bytes += 64 + BYTES_A_VALUE * each.length;
        }
        return bytes;
    }

    int size() {
        return keys.length;
    }

    /** Whether only labels with the requirement's key can match it. */
    boolean canAnchor(int requirement) {
        return operators[requirement] == LabelRequirement.Operator.IN || isExists(requirement);
    }

    public boolean isExists(int requirement) {
        return operators[requirement] == LabelRequirement.Operator.EXISTS;
    }

    public int key(int requirement) {
        return keys[requirement];
    }

    public int[] values(int requirement) {
        return values[requirement];
    }

    private static boolean contains(int[] values, int value) {
        for (int each : values) {
            if (each == value) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return Arrays.toString(operators) + Arrays.toString(keys) + Arrays.deepToString(values);
    }
}
