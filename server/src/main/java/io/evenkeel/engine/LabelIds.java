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
            length = put(ids, length, strings.acquire(label.getKey()), strings.acquire(label.getValue()));
        }
        return ids;
    }

    /**
     * Writes a pod's labels as ids into {@code into}, which must have room for all.
     *
     * @return the length; {@link StringTable#NONE} where a key or a value is not in use, so that nothing has these labels
     */
    static int find(PodRecord pod, StringTable strings, int[] into) {
        int length = 0;
        for (int at = 0; at < pod.labelEnd; at += PodRecord.LABEL) {
            int key = pod.find(at, 0, strings);
            if (key == StringTable.NONE) {
                return StringTable.NONE;
            }
            length = put(into, length, key, pod.find(at, 1, strings));
        }
        for (int i = 1; i < length; i += 2) {
            if (into[i] == StringTable.NONE) {
                return StringTable.NONE;
            }
        }
        return length;
    }

    /** As {@link #find}, with one use more of each id; made where there is none. */
    static int acquire(PodRecord pod, StringTable strings, int[] into) {
        int length = 0;
        for (int at = 0; at < pod.labelEnd; at += PodRecord.LABEL) {
            int key = pod.acquire(at, 0, strings);
            int value = pod.acquire(at, 1, strings);
            int replaced = valueOf(into, 0, length, key);
            if (replaced != StringTable.NONE) {
                strings.release(key);
                strings.release(replaced);
            }
            length = put(into, length, key, value);
        }
        return length;
    }

    static void release(int[] labels, StringTable strings) {
        for (int id : labels) {
            strings.release(id);
        }
    }

    /** The value id of {@code key}, or {@link StringTable#NONE}. */
    static int valueOf(int[] labels, int key) {
        return valueOf(labels, 0, labels.length, key);
    }

    /** The same where the labels stand from {@code from} up to {@code to}. */
    static int valueOf(int[] ids, int from, int to, int key) {
        for (int i = from; i < to; i += 2) {
            if (ids[i] == key) {
                return ids[i + 1];
            }
        }
        return StringTable.NONE;
    }

    /** The hash of the first {@code length} of {@code labels}, as LabelIds: a sum, so that it is the same however they are parted. */
    static int hash(int[] labels, int length) {
        int hash = 0;
        for (int at = 0; at < length; at += 2) {
            hash += hash(labels[at], labels[at + 1]);
        }
        return hash;
    }

    /** The hash of one label. */
    static int hash(int key, int value) {
        int hash = (Integer.rotateLeft(key * 0x9E3779B1, 15) ^ value) * 0x85EBCA6B;
        return hash ^ hash >>> 15;
    }

    /** Puts a pair in its place, instead of one of its key; answers the length. */
    private static int put(int[] ids, int length, int key, int value) {
        int place = length;
        while (place > 0 && ids[place - 2] > key) {
            place -= 2;
        }
        if (place > 0 && ids[place - 2] == key) {
            ids[place - 1] = value;
            return length;
        }
        System.arraycopy(ids, place, ids, place + 2, length - place);
        ids[place] = key;
        ids[place + 1] = value;
        return length + 2;
    }
}
