package io.evenkeel.engine.labels;

import java.util.Arrays;

/**
 * Finds a label class that shares most of its labels with a new one. For some of the labels in use it remembers the
 * latest class with that label.
 *
 * <pre>
 *   latest[hash of a label]   an existing class, or NONE; labels with equal hashes replace each other
 * </pre>
 */
final class LatestClasses {
    private static final int CELLS = 1 << 16;

    /** Empty until the first class, because copies of an engine may never add one. */
    private int[] latest = {};

    /** An existing class that most likely has the label, or NONE. */
    int with(int key, int value) {
        return latest.length == 0 ? LabelClasses.NONE : latest[cell(key, value)];
    }

    /** Called when a class with that label was added. */
    void put(int key, int value, int labelClass) {
        if (latest.length == 0) {
            latest = new int[CELLS];
            Arrays.fill(latest, LabelClasses.NONE);
        }
        latest[cell(key, value)] = labelClass;
    }

    /** Called when a class with that label is removed. */
    void remove(int key, int value, int labelClass) {
        if (latest.length == 0) {
            return;
        }
        int cell = cell(key, value);
        if (latest[cell] == labelClass) {
            latest[cell] = LabelClasses.NONE;
        }
    }

    private static int cell(int key, int value) {
        int hash = LabelIds.hash(key, value);
        return (hash ^ hash >>> 16) & CELLS - 1;
    }
}
