package io.evenkeel.engine.labels;

import java.util.Arrays;

/**
 * For some of the labels in use, the class with it that came last: where to look for a class that has most of its
 * labels in common with a new one.
 *
 * <pre>
 *   latest[hash of a label]   a live class, or NONE; labels whose hashes meet push each other out
 * </pre>
 */
final class LatestClasses {
    private static final int CELLS = 1 << 16;

    private final int[] latest = new int[CELLS];

    LatestClasses() {
        Arrays.fill(latest, LabelClasses.NONE);
    }

    /** A live class, most likely with that label, or NONE. */
    int with(int key, int value) {
        return latest[cell(key, value)];
    }

    /** A class has come that has that label. */
    void put(int key, int value, int labelClass) {
        latest[cell(key, value)] = labelClass;
    }

    /** A class goes that has that label. */
    void remove(int key, int value, int labelClass) {
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
