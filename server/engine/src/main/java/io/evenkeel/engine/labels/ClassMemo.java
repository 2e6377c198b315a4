package io.evenkeel.engine.labels;

import io.evenkeel.engine.model.PodRecord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the classes of the last pods' labels, by the bytes of the labels. Replicas have the same labels in the same
 * bytes, so that one comparison of bytes replaces a look-up of each key and value.
 *
 * <pre>
 *   entry, by a hash of the labels:
 *     namespaces, classes   the namespace and the class of the labels
 *     texts                 the bytes from the first text of the labels to the last, including those in between
 *     places                for each key and value, where it begins and ends in these bytes
 *     epochs                an entry is valid while no class was removed since it was made
 * </pre>
 *
 * The hash only finds the entry: bytes and places are always compared in full.
 */
final class ClassMemo {
    static final int NONE = -1;

    private static final int ENTRIES = 1 << 14;
    private static final int MOST_BYTES = 512;
    private static final int ROUND = 64;

    private final @Nullable Namespace[] namespaces = new Namespace[ENTRIES];
    private final int[] classes = new int[ENTRIES];
    private final byte[][] texts = new byte[ENTRIES][0];
    private final int[][] places = new int[ENTRIES][0];
    private final int[] placeCounts = new int[ENTRIES];
    private final int[] lengths = new int[ENTRIES];
    private final long[] epochs = new long[ENTRIES];
    private long epoch = 1;

    /** The class of a pod's labels, or NONE where it is not remembered. */
    int find(Namespace in, PodRecord pod) {
        int entry = entryOf(pod);
        if (epochs[entry] != epoch || namespaces[entry] != in || placeCounts[entry] != 4 * pod.labelCount()) {
            return NONE;
        }
        int from = pod.labelsFrom();
        int length = lengths[entry];
        if (from + length > pod.bytes.length
                || !Arrays.equals(texts[entry], 0, length, pod.bytes, from, from + length)
                || !pod.hasLabelsAt(places[entry], from)) {
            return NONE;
        }
        return classes[entry];
    }

    /** Remembers the class of a pod's labels. */
    void put(Namespace in, PodRecord pod, int labelClass) {
        int from = pod.labelsFrom();
        int length = pod.labelsTo() - from;
        if (length > MOST_BYTES) {
            return;
        }
        int entry = entryOf(pod);
        if (texts[entry].length < length) {
            texts[entry] = new byte[(length + ROUND - 1) / ROUND * ROUND];
        }
        int count = 4 * pod.labelCount();
        if (places[entry].length < count) {
            places[entry] = new int[count];
        }
        System.arraycopy(pod.bytes, from, texts[entry], 0, length);
        pod.copyLabelPlaces(places[entry], from);
        placeCounts[entry] = count;
        lengths[entry] = length;
        namespaces[entry] = in;
        classes[entry] = labelClass;
        epochs[entry] = epoch;
    }

    /** Called when a class was removed: its id may be used for another class. */
    void forgetAll() {
        epoch++;
    }

    private static int entryOf(PodRecord pod) {
        int hash = pod.labelsHash();
        return (hash ^ hash >>> 15) & ENTRIES - 1;
    }
}
