package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.PodRecord;
import java.util.Arrays;
import java.util.Map;

/**
 * Represents labels as ids of a {@link StringTable}:
 *
 * <pre>
 *   [ key 0 | value 0 | key 1 | value 1 | … ]    sorted by key id, each key once
 * </pre>
 *
 * A template that is not empty is stored as one of the labels: it is the value of a key that no label can have. So
 * whatever stores labels also stores templates.
 */
public final class LabelIds {
    /** Up to this many labels are sorted by insertion, which allocates nothing. Ordinary pods do not have more. */
    private static final int MAX_INSERTED = 64;

    /** Not UTF-8, so that it cannot be the key of a label or selector. */
    private static final byte[] TEMPLATE_KEY = {(byte) 0xFF};

    private static final int TEMPLATE_KEY_HASH = KeyedHash.of(TEMPLATE_KEY, 0, TEMPLATE_KEY.length);

    private LabelIds() {}

    /**
     * The labels as ids. Adds a use of each.
     *
     * @throws CapacityException if there is no room for one; nothing is changed
     */
    public static int[] acquire(Map<String, String> labels, StringTable strings) {
        int[] ids = new int[labels.size() * 2];
        int length = 0;
        try {
            for (Map.Entry<String, String> label : labels.entrySet()) {
                ids[length] = strings.acquire(label.getKey());
                length++;
                ids[length] = strings.acquire(label.getValue());
                length++;
            }
        } catch (CapacityException full) {
            release(ids, length, strings);
            throw full;
        }
        sort(ids, length);
        return ids;
    }

    /**
     * Writes a pod's labels and its template as ids into {@code into}, which must have room for all.
     *
     * @return the length; {@link StringTable#NONE} if a key or a value is not in use, so that no class has these labels
     *     and this template
     */
    static int find(PodRecord pod, StringTable strings, int[] into) {
        int length = 0;
        for (int at = 0; at < pod.labelEnd; at += PodRecord.LABEL) {
            int key = pod.find(at, 0, strings);
            if (key == StringTable.NONE) {
                return StringTable.NONE;
            }
            into[length++] = key;
            into[length++] = pod.find(at, 1, strings);
        }
        if (!pod.template.isEmpty()) {
            int key = templateKey(strings);
            if (key == StringTable.NONE) {
                return StringTable.NONE;
            }
            into[length++] = key;
            into[length++] = pod.template.find(strings);
        }
        sort(into, length);
        int kept = 0;
        for (int at = 0; at < length; at += 2) {
            if (isReplaced(into, at, length)) {
                continue;
            }
            if (into[at + 1] == StringTable.NONE) {
                return StringTable.NONE;
            }
            into[kept++] = into[at];
            into[kept++] = into[at + 1];
        }
        return kept;
    }

    /**
     * Same as {@link #find}, but adds a use of each id, and creates ids if there are none.
     *
     * @throws CapacityException if there is no room for one; nothing is changed
     */
    static int acquire(PodRecord pod, StringTable strings, int[] into) {
        int length = 0;
        try {
            for (int at = 0; at < pod.labelEnd; at += PodRecord.LABEL) {
                into[length] = pod.acquire(at, 0, strings);
                length++;
                into[length] = pod.acquire(at, 1, strings);
                length++;
            }
            if (!pod.template.isEmpty()) {
                into[length] = strings.acquire(TEMPLATE_KEY, 0, TEMPLATE_KEY.length, TEMPLATE_KEY_HASH);
                length++;
                into[length] = pod.template.acquire(strings);
                length++;
            }
        } catch (CapacityException full) {
            release(into, length, strings);
            throw full;
        }
        sort(into, length);
        int kept = 0;
        for (int at = 0; at < length; at += 2) {
            if (isReplaced(into, at, length)) {
                strings.release(into[at]);
                strings.release(into[at + 1]);
            } else {
                into[kept++] = into[at];
                into[kept++] = into[at + 1];
            }
        }
        return kept;
    }

    /** The key of templates; {@link StringTable#NONE} if nothing has one. */
    static int templateKey(StringTable strings) {
        return strings.find(TEMPLATE_KEY, 0, TEMPLATE_KEY.length, TEMPLATE_KEY_HASH);
    }

    public static void release(int[] labels, StringTable strings) {
        release(labels, labels.length, strings);
    }

    /** Ends a use of each of the first {@code length} ids. */
    static void release(int[] ids, int length, StringTable strings) {
        for (int i = 0; i < length; i++) {
            strings.release(ids[i]);
        }
    }

    /** The value id of {@code key}, or {@link StringTable#NONE}. */
    public static int valueOf(int[] labels, int key) {
        return valueOf(labels, 0, labels.length, key);
    }

    /** The same for labels from {@code from} up to {@code to}, exclusive. */
    static int valueOf(int[] ids, int from, int to, int key) {
        for (int i = from; i < to; i += 2) {
            if (ids[i] == key) {
                return ids[i + 1];
            }
        }
        return StringTable.NONE;
    }

    /**
     * The hash of the first {@code length} of {@code labels}, as LabelIds. It is a sum, so that it does not depend on
     * how the labels are split.
     */
    static int hash(int[] labels, int length) {
        int hash = 0;
        for (int at = 0; at < length; at += 2) {
            hash += hash(labels[at], labels[at + 1]);
        }
        return hash;
    }

    /** The hash of one label. */
    static int hash(int key, int value) {
        return KeyedHash.of(key, value);
    }

    /** Whether the sorted pair at {@code at} is followed by another with the same key, which replaces it. */
    private static boolean isReplaced(int[] ids, int at, int length) {
        return at + 2 < length && ids[at + 2] == ids[at];
    }

    /** Sorts the pairs by key. Pairs with the same key stay in their order. */
    private static void sort(int[] ids, int length) {
        if (length > 2 * MAX_INSERTED) {
            sortMany(ids, length);
            return;
        }
        for (int at = 2; at < length; at += 2) {
            int key = ids[at];
            int value = ids[at + 1];
            int place = at;
            while (place > 0 && ids[place - 2] > key) {
                ids[place] = ids[place - 2];
                ids[place + 1] = ids[place - 1];
                place -= 2;
            }
            ids[place] = key;
            ids[place + 1] = value;
        }
    }

    /** Sorts by key and position together: insertion sort would take too long, since all readers wait meanwhile. */
    private static void sortMany(int[] ids, int length) {
        int[] values = new int[length / 2];
        long[] keysAndPlaces = new long[length / 2];
        for (int i = 0; i < values.length; i++) {
            values[i] = ids[2 * i + 1];
            keysAndPlaces[i] = (long) ids[2 * i] << Integer.SIZE | i;
        }
        Arrays.sort(keysAndPlaces);
        for (int i = 0; i < values.length; i++) {
            ids[2 * i] = (int) (keysAndPlaces[i] >> Integer.SIZE);
            ids[2 * i + 1] = values[(int) keysAndPlaces[i]];
        }
    }
}
