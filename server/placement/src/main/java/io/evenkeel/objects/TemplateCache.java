package io.evenkeel.objects;

import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodTemplate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Caches recent templates so that pods with equal templates share one object. A shared template costs no memory per
 * pod, and the engine does not need to compare bytes. Also holds the cache of recent requests.
 *
 * <pre>
 *   known[key]        the fields of a pod and what it asks for, and the template made from them
 *   templates[hash]   a template, possibly made from other fields
 *       Empty slots are null. A new entry overwrites the previous one in its slot.
 * </pre>
 *
 * A slot only yields a candidate, whose bytes are always compared in full. Thread-safe without a lock because entries
 * are immutable, and a thread that sees an outdated entry just creates its template again.
 */
public final class TemplateCache {
    private static final int PLACES = 1 << 14;
    private static final int LONGEST_FIELDS = 2 << 10;
    private static final int LONGEST_TEMPLATE = 1 << 10;

    private final @Nullable Known[] known = new Known[PLACES];
    private final @Nullable PodTemplate[] templates = new PodTemplate[PLACES];
    private final RequestsCache requests = new RequestsCache();

    private static final class Known {
        private final byte[] fields;
        private final PodRequests asked;
        private final PodTemplate template;

        Known(byte[] fields, PodRequests asked, PodTemplate template) {
            this.fields = fields;
            this.asked = asked;
            this.template = template;
        }

        boolean isOf(byte[] bytes, int[] pieces, int end, PodRequests requests) {
            if (!asked.equals(requests)) {
                return false;
            }
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
     * The template made from the same fields, or null.
     *
     * @param key a keyed hash of the fields; collisions are rare
     * @param pieces the positions of the fields in the bytes; see {@link TemplateScanner}
     */
    @Nullable
    PodTemplate find(int key, byte[] bytes, int[] pieces, int end, PodRequests asked) {
        Known there = known[place(key)];
        return there != null && there.isOf(bytes, pieces, end, asked) ? there.template : null;
    }

    /** Caches a template that was made from these fields and requests alone. */
    void put(int key, byte[] bytes, int[] pieces, int end, PodRequests asked, PodTemplate template) {
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
        known[place(key)] = new Known(fields, asked, template);
    }

    /** Returns a cached template equal to this one; if there is none, caches and returns this one. */
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

    RequestsCache requests() {
        return requests;
    }

    private static int place(int key) {
        return (key ^ key >>> 16) & PLACES - 1;
    }
}
