package io.evenkeel.engine.labels;

import io.evenkeel.engine.model.PodRecord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which class the labels of the last pods were, by the very bytes that they stood in: replicas bring the same labels in
 * the same bytes again and again, and one comparison of bytes does for a look-up of each key and value.
 *
 * <pre>
 *   entry, by a hash of the labels:
 *     namespaces, classes   what they were
 *     texts                 the bytes from the first text of the labels to the last, what stands between them included
 *     places                for each key and value, from where to where it stands in there
 *     epochs                an entry holds while no class has gone since it was made
 * </pre>
 *
 * Never trusted by its hash: bytes and places are compared in full.
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

    /** The class of a pod's labels where they are remembered, or NONE. */
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

    /** A class has gone; its id may be another's before long. */
    void forgetAll() {
        epoch++;
    }

    private static int entryOf(PodRecord pod) {
        int hash = pod.labelsHash();
        return (hash ^ hash >>> 15) & ENTRIES - 1;
    }
}
