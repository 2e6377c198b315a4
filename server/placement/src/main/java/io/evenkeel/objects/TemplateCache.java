package io.evenkeel.objects;

import io.evenkeel.engine.model.PodTemplate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Caches recent templates and requests so that pods with equal ones share them. A shared template costs no memory per
 * pod, and the engine does not need to compare bytes.
 *
 * <pre>
 *   known[hash]       what was made of a pod with this key
 *   templates[hash]   a template, possibly made of a pod with another key
 *       Empty slots are null. A new entry overwrites the previous one in its slot.
 * </pre>
 *
 * A slot only yields a candidate, whose bytes are always compared in full. Thread-safe without a lock because entries
 * are immutable, and a thread that sees an outdated entry just creates its template again.
 */
public final class TemplateCache {
    private static final int PLACES = 1 << 14;
    private static final int LONGEST_KEY = 4 << 10;
    private static final int LONGEST_TEMPLATE = 1 << 10;

    private final @Nullable KnownPod[] known = new KnownPod[PLACES];
    private final @Nullable PodTemplate[] templates = new PodTemplate[PLACES];

    /**
     * The pod with this key, or null.
     *
     * @param hash a keyed hash of the key; collisions are rare
     */
    @Nullable
    KnownPod find(int hash, byte[] key, int length) {
        KnownPod there = known[place(hash)];
        return there != null && Arrays.equals(there.key, 0, there.key.length, key, 0, length) ? there : null;
    }

    void put(int hash, KnownPod pod) {
        if (pod.key.length <= LONGEST_KEY) {
            known[place(hash)] = pod;
        }
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

    private static int place(int hash) {
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
