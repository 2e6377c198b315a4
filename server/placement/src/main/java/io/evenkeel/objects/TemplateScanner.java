package io.evenkeel.objects;

import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.PodSpec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Records the positions of the fields that make up a pod's template while {@link PodScanner} reads the pod. The bytes
 * of these fields are the same in all replicas, so a byte comparison usually finds the template in a
 * {@link TemplateCache}. Only if it does not, {@link TemplateWriter} writes the template.
 *
 * <pre>
 *   pieces     [ from | to | … ]      fields with their tags in the pod's bytes, in order: ownerReferences of
 *                                     ObjectMeta, and some of PodSpec. Their field numbers do not overlap.
 * </pre>
 *
 * An instance is used for one pod after another. Not thread-safe.
 */
final class TemplateScanner {
    static final int OWNERS = WireCursor.delimited(ObjectMeta.OWNER_REFERENCES_FIELD_NUMBER);

    private static final int NODE_SELECTOR = WireCursor.delimited(PodSpec.NODE_SELECTOR_FIELD_NUMBER);
    private static final int AFFINITY = WireCursor.delimited(PodSpec.AFFINITY_FIELD_NUMBER);
    private static final int SCHEDULER_NAME = WireCursor.delimited(PodSpec.SCHEDULER_NAME_FIELD_NUMBER);
    private static final int TOLERATIONS = WireCursor.delimited(PodSpec.TOLERATIONS_FIELD_NUMBER);
    private static final int CONSTRAINTS = WireCursor.delimited(PodSpec.TOPOLOGY_SPREAD_CONSTRAINTS_FIELD_NUMBER);

    private static final int PIECE = 2;

    /**
     * How many bytes of the first piece are hashed at most. It is usually an owner reference, which identifies the
     * workload.
     */
    private static final int MAX_HASHED = 128;

    private final @Nullable TemplateCache cache;

    /** Null until a template is not found in the cache. */
    private @Nullable TemplateWriter writer;

    private byte[] bytes = {};
    private int[] pieces = new int[8 * PIECE];
    private int end;
    private boolean constrained;

    /** @param cache templates that pods may share; null if none are shared */
    TemplateScanner(@Nullable TemplateCache cache) {
        this.cache = cache;
    }

    /** Starts the next pod. */
    void begin(byte[] of) {
        bytes = of;
        end = 0;
        constrained = false;
    }

    /** True if the pod itself has constraints. */
    boolean isConstrained() {
        return constrained;
    }

    /** Records an owner reference, including its tag. It must be well-formed. */
    void owner(int from, int to) {
        note(from, to);
    }

    /** Records a field of PodSpec, including its tag, if templates need it. It must be well-formed. */
    void specField(int tag, int from, int to) {
        if (tag == SCHEDULER_NAME
                || tag == TOLERATIONS
                || tag == CONSTRAINTS
                || tag == NODE_SELECTOR
                || tag == AFFINITY) {
            constrained |= tag == CONSTRAINTS;
            note(from, to);
        }
    }

    private void note(int from, int to) {
        if (end > 0 && pieces[end - 1] == from) {
            pieces[end - 1] = to;
            return;
        }
        if (end == pieces.length) {
            pieces = Arrays.copyOf(pieces, end * 2);
        }
        pieces[end] = from;
        pieces[end + 1] = to;
        end += PIECE;
    }

    /**
     * Returns the template.
     *
     * @param nodeFrom start of the node's name in the pod's bytes
     * @param nodeTo exclusive end of that name, which is empty if the pod has no node yet or will be on another one
     * @param asked what the pod asks for by its spec
     */
    PodTemplate finish(int nodeFrom, int nodeTo, PodRequests asked) {
        if (end == 0 && !asked.isKnown()) {
            return PodTemplate.EMPTY;
        }
        if (cache == null) {
            return write(writer(), nodeFrom, nodeTo, asked);
        }
        int key = key() * 31 + asked.hashCode();
        PodTemplate known = cache.find(key, bytes, pieces, end, asked);
        if (known != null) {
            return known;
        }
        TemplateWriter wrote = writer();
        PodTemplate written = cache.shared(write(wrote, nodeFrom, nodeTo, asked));
        if (!wrote.mayNameItsNode()) {
            cache.put(key, bytes, pieces, end, asked, written);
        }
        return written;
    }

    private int key() {
        return end == 0 ? 0 : KeyedHash.of(bytes, pieces[0], Math.min(pieces[1], pieces[0] + MAX_HASHED));
    }

    private TemplateWriter writer() {
        TemplateWriter known = writer;
        if (known == null) {
            known = new TemplateWriter();
            writer = known;
        }
        return known;
    }

    private PodTemplate write(TemplateWriter by, int nodeFrom, int nodeTo, PodRequests asked) {
        by.begin(bytes);
        for (int at = 0; at < end; at += PIECE) {
            by.read(pieces[at], pieces[at + 1]);
        }
        return by.write(nodeFrom, nodeTo, asked);
    }
}
