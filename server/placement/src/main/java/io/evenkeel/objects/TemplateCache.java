package io.evenkeel.objects;

import io.evenkeel.engine.model.PodTemplate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the templates that were made last, so that pods with equal templates share one object: then a pod costs no
 * memory for it, and the engine need not compare bytes.
 *
 * <pre>
 *   known[key]        the fields of a pod that a template was made of, and this template
 *   templates[hash]   a template, which may be made of different fields
 *       null where there is none; what has the same place replaces what was there
 * </pre>
 *
 * A place only finds what is there: the bytes are always compared in full. Safe for use by several threads without a
 * lock: what it holds is immutable, and a thread that sees an older entry makes its template anew.
 */
public final class TemplateCache {
    private static final int PLACES = 1 << 14;
    private static final int LONGEST_FIELDS = 2 << 10;
    private static final int LONGEST_TEMPLATE = 1 << 10;

    private final @Nullable Known[] known = new Known[PLACES];
    private final @Nullable PodTemplate[] templates = new PodTemplate[PLACES];

    private static final class Known {
        private final byte[] fields;
        private final PodTemplate template;

        Known(byte[] fields, PodTemplate template) {
            this.fields = fields;
            this.template = template;
        }

        boolean isOf(byte[] bytes, int[] pieces, int end) {
            int at = 0;
            for (int i = 0; i < end; i += 2) {
                int size = pieces[i + 1] - pieces[i];
                if (fields.length - at < size
                        || !Arrays.equals(fields, at, at + size, bytes, pieces[i], pieces[i + 1])) {
                    return false;
                }
                at += size;
            }
            return at == fields.length;
        }
    }

    /**
     * The template that was made of the same fields, or null.
     *
     * @param key a keyed hash that different fields mostly do not share
     * @param pieces where the fields lie in the bytes; see {@link TemplateScanner}
     */
    @Nullable
    PodTemplate find(int key, byte[] bytes, int[] pieces, int end) {
        Known there = known[place(key)];
        return there != null && there.isOf(bytes, pieces, end) ? there.template : null;
    }

    /** Remembers the template that was made of these fields and of nothing else. */
    void put(int key, byte[] bytes, int[] pieces, int end, PodTemplate template) {
        int length = 0;
        for (int i = 0; i < end; i += 2) {
            length += pieces[i + 1] - pieces[i];
        }
        if (length > LONGEST_FIELDS) {
            return;
        }
        byte[] fields = new byte[length];
        int at = 0;
        for (int i = 0; i < end; i += 2) {
            System.arraycopy(bytes, pieces[i], fields, at, pieces[i + 1] - pieces[i]);
            at += pieces[i + 1] - pieces[i];
        }
        known[place(key)] = new Known(fields, template);
    }

    /** A template that is equal to this one, where there is one; otherwise remembers this one. */
    PodTemplate shared(PodTemplate template) {
        int place = place(template.hashCode());
        PodTemplate there = templates[place];
        if (there != null && there.equals(template)) {
            return there;
        }
        if (template.length() <= LONGEST_TEMPLATE) {
            templates[place] = template;
        }
        return template;
    }

    private static int place(int key) {
        return (key ^ key >>> 16) & PLACES - 1;
    }
}
