package io.evenkeel.engine;

import java.util.Arrays;
import org.agrona.collections.Object2IntHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Strings as small ints, counted by use and recycled: label keys and values, of nodes, classes and selectors alike, so that equality of strings is
 * equality of ints.
 *
 * <p>Invariant: an id is live while its use count is above 0; {@link #find} knows exactly the live strings.
 */
final class StringTable {
    static final int NONE = -1;

    private final Object2IntHashMap<String> ids = new Object2IntHashMap<>(NONE);
    private @Nullable String[] strings = new String[64];
    private int[] uses = new int[64];
    private int[] free = new int[16];
    private int freeCount;
    private int limit;

    /** The id of {@code string}, with one use more. */
    int acquire(String string) {
        int id = ids.getValue(string);
        if (id == NONE) {
            id = freeCount > 0 ? free[--freeCount] : limit++;
            if (id == strings.length) {
                strings = Arrays.copyOf(strings, id * 2);
                uses = Arrays.copyOf(uses, id * 2);
            }
            strings[id] = string;
            ids.put(string, id);
        }
        uses[id]++;
        return id;
    }

    /** The id of {@code string}, or {@link #NONE} where nothing uses it. */
    int find(String string) {
        return ids.getValue(string);
    }

    /** One use more of a live id. */
    void retain(int id) {
        uses[id]++;
    }

    void release(int id) {
        if (--uses[id] == 0) {
            ids.removeKey(get(id));
            strings[id] = null;
            if (freeCount == free.length) {
                free = Arrays.copyOf(free, freeCount * 2);
            }
            free[freeCount++] = id;
        }
    }

    /** The string of a live id. */
    String get(int id) {
        String string = strings[id];
        if (string == null) {
            throw new IllegalStateException("string id " + id + " is not live");
        }
        return string;
    }

    int size() {
        return ids.size();
    }
}
