package io.evenkeel.engine;

import java.util.Map;

/**
 * Labels as ids of a {@link StringTable}:
 *
 * <pre>
 *   [ key 0 | value 0 | key 1 | value 1 | … ]    sorted by key id, each key once
 * </pre>
 */
final class LabelIds {
    private LabelIds() {}

    /** The labels as ids, with one use more of each. */
    static int[] acquire(Map<String, String> labels, StringTable strings) {
        int[] ids = new int[labels.size() * 2];
        int length = 0;
        for (Map.Entry<String, String> label : labels.entrySet()) {
            insert(ids, length, strings.acquire(label.getKey()), strings.acquire(label.getValue()));
            length += 2;
        }
        return ids;
    }

    /**
     * Writes the labels as ids into {@code into}, which must have room.
     *
     * @return false where a key or a value is not in use, so that nothing has these labels
     */
    static boolean find(Map<String, String> labels, StringTable strings, int[] into) {
        int length = 0;
        for (Map.Entry<String, String> label : labels.entrySet()) {
            int key = strings.find(label.getKey());
            int value = strings.find(label.getValue());
            if (key == StringTable.NONE || value == StringTable.NONE) {
                return false;
            }
            insert(into, length, key, value);
            length += 2;
        }
        return true;
    }

    static void release(int[] labels, StringTable strings) {
        for (int id : labels) {
            strings.release(id);
        }
    }

    /** The value id of {@code key}, or {@link StringTable#NONE}. */
    static int valueOf(int[] labels, int key) {
        for (int i = 0; i < labels.length; i += 2) {
            if (labels[i] == key) {
                return labels[i + 1];
            }
        }
        return StringTable.NONE;
    }

    private static void insert(int[] ids, int length, int key, int value) {
        int at = length;
        while (at > 0 && ids[at - 2] > key) {
            ids[at] = ids[at - 2];
            ids[at + 1] = ids[at - 1];
            at -= 2;
        }
        ids[at] = key;
        ids[at + 1] = value;
    }
}
