package io.evenkeel.engine.labels;

import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodTemplate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the classes of the last pods' labels and templates, by the bytes of the labels. Replicas have the same
 * labels in the same bytes, so that one comparison of bytes replaces a look-up of each key and value. They mostly share
 * one template object as well, whose bytes are then not compared.
 *
 * <pre>
 *   entry, by a hash of the labels and the template:
 *     namespace, labelClass   of the pods
 *     template                the template object that was compared last
 *     text, length            the bytes from the first text of the labels to the last, including those in between
 *     places, placeCount      for each key and value, where it begins and ends in these bytes
 *     epoch                   the entry is valid while no class was removed since it was made
 * </pre>
 *
 * The hash only finds the entry: bytes, places and templates are always compared in full. An entry is one object
 * because an event reads all of it; one array per field would cost one cache miss per field.
 */
final class ClassMemo {
    static final int NONE = -1;

    private static final int ENTRIES = 1 << 14;
    private static final int MAX_BYTES = 512;
    private static final int MAX_TEMPLATE_BYTES = 1 << 10;
    private static final int ROUND = 64;

    private static final class Entry {
        private Namespace namespace;
        private PodTemplate template;
        private byte[] text = {};
        private int[] places = {};
        private int length;
        private int placeCount;
        private int labelClass;
        private long epoch;

        Entry(Namespace namespace, PodTemplate template) {
            this.namespace = namespace;
            this.template = template;
        }

        boolean isOf(Namespace in, PodRecord pod) {
            if (namespace != in || placeCount != 4 * pod.labelCount()) {
                return false;
            }
            int from = pod.labelsFrom();
            return from + length <= pod.bytes.length
                    && Arrays.equals(text, 0, length, pod.bytes, from, from + length)
                    && pod.hasLabelsAt(places, from)
                    && hasTemplateOf(pod);
        }

        // An object that was compared before need not be compared again.
        @SuppressWarnings("ReferenceEquality")
        private boolean hasTemplateOf(PodRecord pod) {
            if (template == pod.template) {
                return true;
            }
            if (!template.equals(pod.template)) {
                return false;
            }
            // The next pods probably share the template object of this one.
            template = pod.template;
            return true;
        }

        void set(Namespace in, PodRecord pod, int from, int to) {
            namespace = in;
            template = pod.template;
            length = to - from;
            if (text.length < length) {
                text = new byte[(length + ROUND - 1) / ROUND * ROUND];
            }
            System.arraycopy(pod.bytes, from, text, 0, length);
            placeCount = 4 * pod.labelCount();
            if (places.length < placeCount) {
                places = new int[placeCount];
            }
            pod.copyLabelPlaces(places, from);
        }
    }

    /** Empty until the first entry, because copies of an engine may never need it. */
    private @Nullable Entry[] entries = {};

    private long epoch = 1;

    /** The class of a pod's labels and template, or NONE if it is not remembered. */
    int find(Namespace in, PodRecord pod) {
        Entry entry = entries.length == 0 ? null : entries[placeOf(pod)];
        return entry != null && entry.epoch == epoch && entry.isOf(in, pod) ? entry.labelClass : NONE;
    }

    /** Remembers the class of a pod's labels and template. */
    void put(Namespace in, PodRecord pod, int labelClass) {
        int from = pod.labelsFrom();
        int to = pod.labelsTo();
        if (to - from > MAX_BYTES || pod.template.length() > MAX_TEMPLATE_BYTES) {
            return;
        }
        if (entries.length == 0) {
            entries = new Entry[ENTRIES];
        }
        int place = placeOf(pod);
        Entry entry = entries[place];
        if (entry == null) {
            entry = new Entry(in, pod.template);
            entries[place] = entry;
        }
        entry.set(in, pod, from, to);
        entry.labelClass = labelClass;
        entry.epoch = epoch;
    }

    /** Called when a class was removed, because its id may be used for another class. */
    void forgetAll() {
        epoch++;
    }

    private static int placeOf(PodRecord pod) {
        int hash = pod.labelsHash() + pod.templateHash;
        return (hash ^ hash >>> 15) & ENTRIES - 1;
    }
}
