package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.StringTable;

/**
 * What similar label classes share: the labels that all of them have, and the keys for which each class has its own
 * value.
 *
 * <pre>
 *   shared    the shared labels, as LabelIds
 *   ownKeys   key ids, ascending, none of them in shared
 *   own       in the record of each class: its value ids in the order of ownKeys
 * </pre>
 *
 * For example, the pods of a StatefulSet differ in two of about six labels: each class stores only these two values. A
 * base has one use of each text that it names. Immutable.
 */
public final class LabelBase {
    public final int id;
    final int[] shared;
    final int[] ownKeys;
    private final int sharedHash;

    LabelBase(int id, int[] shared, int[] ownKeys) {
        this.id = id;
        this.shared = shared;
        this.ownKeys = ownKeys;
        this.sharedHash = LabelIds.hash(shared, shared.length);
    }

    /** The value of {@code key} in the class whose own values begin at {@code from}, or {@link StringTable#NONE}. */
    int valueOf(int key, int[] own, int from) {
        int value = LabelIds.valueOf(shared, key);
        if (value == StringTable.NONE) {
            for (int i = 0; i < ownKeys.length; i++) {
                if (ownKeys[i] == key) {
                    return own[from + i];
                }
            }
        }
        return value;
    }

    /**
     * Finds which of {@code labels} are also labels of the class whose own values begin at {@code from}.
     *
     * @return how many; {@link StringTable#NONE} if the class does not have the same keys
     */
    int common(int[] own, int from, int[] labels, int length, boolean[] isCommon) {
        if (shared.length + 2 * ownKeys.length != length) {
            return StringTable.NONE;
        }
        int common = 0;
        for (int at = 0, s = 0, o = 0; at < length; at += 2) {
            int value;
            if (s < shared.length && shared[s] == labels[at]) {
                value = shared[s + 1];
                s += 2;
            } else if (o < ownKeys.length && ownKeys[o] == labels[at]) {
                value = own[from + o++];
            } else {
                return StringTable.NONE;
            }
            isCommon[at >> 1] = value == labels[at + 1];
            common += value == labels[at + 1] ? 1 : 0;
        }
        return common;
    }

    /**
     * The hash of the labels of the class whose own values begin at {@code from}: {@link LabelIds#hash} of all its
     * labels.
     */
    int hash(int[] own, int from) {
        int hash = sharedHash;
        for (int i = 0; i < ownKeys.length; i++) {
            hash += LabelIds.hash(ownKeys[i], own[from + i]);
        }
        return hash;
    }
}
