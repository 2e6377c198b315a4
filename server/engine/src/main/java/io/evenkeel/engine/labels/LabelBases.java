package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.RecycledIds;
import io.evenkeel.engine.memory.StringTable;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores the bases of label classes, each once. Ids are dense and recycled.
 *
 * <pre>
 *   bases[id]    null if the id is free
 *   users[id]    how many classes use it
 * </pre>
 */
final class LabelBases {
    private final StringTable strings;
    private final Table table = new Table();
    private @Nullable LabelBase[] bases = new LabelBase[16];
    private int[] users = new int[16];
    private final RecycledIds ids;
    private int[] shared = new int[64];
    private int[] ownKeys = new int[32];

    LabelBases(StringTable strings) {
        this.strings = strings;
        ids = new RecycledIds();
    }

    /**
     * A copy with the same ids.
     *
     * @param strings a copy of the other's
     */
    LabelBases(LabelBases other, StringTable strings) {
        this.strings = strings;
        bases = other.bases.clone();
        users = other.users.clone();
        ids = new RecycledIds(other.ids);
        table.shareWith(other.table);
    }

    int users(LabelBase base) {
        return users[base.id];
    }

    int size() {
        return table.size();
    }

    /** For validation: calls {@code use} with each text that a base uses. */
    void forEachText(IntConsumer use) {
        table.forEachId(id -> {
            LabelBase base = get(id);
            for (int text : base.shared) {
                use.accept(text);
            }
            for (int key : base.ownKeys) {
                use.accept(key);
            }
        });
    }

    /** Whether there is a base that shares the common ones of these labels and has the keys of the others. */
    boolean has(int[] labels, int length, boolean[] isCommon) {
        return table.find(length, part(labels, length, isCommon)) != IdTable.NONE;
    }

    /**
     * Adds a use of the base for the first {@code length} of {@code labels}, as LabelIds: the common labels are shared,
     * and the others are each class's own. The base takes over the uses of all these texts except the own values.
     */
    LabelBase acquire(int[] labels, int length, boolean[] isCommon) {
        int sharedLength = part(labels, length, isCommon);
        int id = table.find(length, sharedLength);
        LabelBase base;
        if (id == IdTable.NONE) {
            id = ids.take();
            if (id == bases.length) {
                bases = Arrays.copyOf(bases, id * 2);
                users = Arrays.copyOf(users, id * 2);
            }
            base = new LabelBase(
                    id, Arrays.copyOf(shared, sharedLength), Arrays.copyOf(ownKeys, (length - sharedLength) / 2));
            bases[id] = base;
            table.insert(id, table.hashOf(id));
        } else {
            base = get(id);
            releaseTexts(base);
        }
        users[id]++;
        return base;
    }

    /** Releases one class's use of a base. */
    void release(LabelBase base) {
        if (--users[base.id] == 0) {
            table.remove(base.id);
            releaseTexts(base);
            bases[base.id] = null;
            ids.give(base.id);
        }
    }

    private void releaseTexts(LabelBase base) {
        for (int text : base.shared) {
            strings.release(text);
        }
        for (int key : base.ownKeys) {
            strings.release(key);
        }
    }

    /** Splits the labels into {@link #shared} and {@link #ownKeys}; returns the length of {@link #shared}. */
    private int part(int[] labels, int length, boolean[] isCommon) {
        if (shared.length < length) {
            shared = new int[length * 2];
            ownKeys = new int[length];
        }
        int sharedLength = 0;
        int own = 0;
        for (int at = 0; at < length; at += 2) {
            if (isCommon[at >> 1]) {
                shared[sharedLength++] = labels[at];
                shared[sharedLength++] = labels[at + 1];
            } else {
                ownKeys[own++] = labels[at];
            }
        }
        return sharedLength;
    }

    private LabelBase get(int id) {
        LabelBase base = bases[id];
        if (base == null) {
            throw new IllegalStateException("there is no base " + id);
        }
        return base;
    }

    private static int hash(int[] shared, int sharedLength, int[] ownKeys, int ownLength) {
        int hash = LabelIds.hash(shared, sharedLength);
        for (int i = 0; i < ownLength; i++) {
            hash += LabelIds.hash(ownKeys[i], StringTable.NONE);
        }
        return hash;
    }

    private final class Table extends IdTable {
        @Override
        protected int hashOf(int id) {
            LabelBase base = get(id);
            return hash(base.shared, base.shared.length, base.ownKeys, base.ownKeys.length);
        }

        /** The base for the labels that {@link #part} has split. */
        int find(int length, int sharedLength) {
            int ownLength = (length - sharedLength) / 2;
            int hash = hash(shared, sharedLength, ownKeys, ownLength);
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                LabelBase base = get(at(cell));
                if (Arrays.equals(base.shared, 0, base.shared.length, shared, 0, sharedLength)
                        && Arrays.equals(base.ownKeys, 0, base.ownKeys.length, ownKeys, 0, ownLength)) {
                    return at(cell);
                }
            }
            return NONE;
        }
    }
}
