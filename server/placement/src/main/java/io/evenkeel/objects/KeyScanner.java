package io.evenkeel.objects;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.model.AntiAffinityTerm;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerStatus;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.UnjudgedRule;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies the fields that a pod's template and requests depend on while {@link PodScanner} reads the pod. These fields
 * are the pod's key. Replicas in the same phase have equal keys, so template and requests are usually found in a
 * {@link TemplateCache}. Only if they are not, the fields of the key are checked, the pod is parsed for its requests,
 * and {@link TemplateWriter} writes the template.
 *
 * <pre>
 *   key      │ owner │ SPEC │ CONTAINER │ name │ ports │ resources │ tolerations │ STATUS │ CONDITION │ type │ … │
 *
 *            A mark starts each message whose fields could be mistaken for those of another. It differs from the tags,
 *            all of which are those of strings and messages. The last mark is that of the rules that are not judged for
 *            the pod, if there are any.
 *
 *   fields   [ from | to | … ]      the fields of the template with their tags in the pod's bytes, in order:
 *                                   ownerReferences of ObjectMeta, and some of PodSpec, whose numbers do not overlap
 *   pieces   [ from | to | … ]      the Pod messages that are the pod, usually one
 * </pre>
 *
 * An instance is used for one pod after another. Not thread-safe.
 */
final class KeyScanner {
    private static final WireShape POD = WireShape.of(Pod.getDescriptor());
    private static final Parser<Pod> PARSER = DiscardUnknownFieldsParser.wrap(Pod.parser());

    /** A message in a pod. */
    enum Part {
        SPEC,
        STATUS,
        CONTAINER,
        INIT_CONTAINER,
        CONDITION,
        CONTAINER_STATUS,
        INIT_CONTAINER_STATUS,
        UNJUDGED
    }

    /** The fields of each part that matter, as bits; none of another kind than string and message. */
    private static final long CONTAINER = bits(
            Container.NAME_FIELD_NUMBER,
            Container.PORTS_FIELD_NUMBER,
            Container.RESOURCES_FIELD_NUMBER,
            Container.RESTART_POLICY_FIELD_NUMBER);

    private static final long CONDITION = bits(PodCondition.TYPE_FIELD_NUMBER, PodCondition.REASON_FIELD_NUMBER);

    /** Texts of a condition that do not matter, but may be malformed. */
    private static final long TEXTS_OF_CONDITION =
            bits(PodCondition.STATUS_FIELD_NUMBER, PodCondition.MESSAGE_FIELD_NUMBER);

    private static final long CONTAINER_STATUS = bits(
            ContainerStatus.NAME_FIELD_NUMBER,
            ContainerStatus.ALLOCATED_RESOURCES_FIELD_NUMBER,
            ContainerStatus.RESOURCES_FIELD_NUMBER);

    private static final int FEWEST_BYTES = 512;

    private final @Nullable TemplateCache cache;

    /** Null until a template is not found in the cache. */
    private @Nullable TemplateWriter writer;

    private byte[] bytes = {};
    private byte[] key = {};
    private int keyEnd;
    private int hash;
    private int[] fields = new int[16];
    private int fieldEnd;
    private int[] pieces = new int[2];
    private int pieceEnd;
    private boolean contained;
    private int unjudged;
    private @Nullable KnownPod known;
    private KnownPod.Controller controller = KnownPod.Controller.NONE;

    /** @param cache what pods may share; null if nothing is shared */
    KeyScanner(@Nullable TemplateCache cache) {
        this.cache = cache;
    }

    /** Starts the next pod. */
    void begin(byte[] of) {
        bytes = of;
        keyEnd = 0;
        fieldEnd = 0;
        pieceEnd = 0;
        contained = false;
        unjudged = 0;
        known = null;
    }

    /**
     * Records that rules are not judged for the pod.
     *
     * @param rules not empty; see {@link UnjudgedRules}
     * @param namespaceFrom start of the pod's namespace with its tag, which terms of anti-affinity depend on
     * @param namespaceTo exclusive end of the namespace
     */
    void keepUnjudged(int rules, int namespaceFrom, int namespaceTo) {
        unjudged = rules;
        mark(Part.UNJUDGED);
        room(1);
        key[keyEnd++] = (byte) rules;
        if (repels()) {
            keep(namespaceFrom, namespaceTo);
        }
    }

    private boolean repels() {
        return (unjudged & UnjudgedRules.bit(UnjudgedRule.UNJUDGED_RULE_POD_ANTI_AFFINITY)) != 0;
    }

    /** Marks that the fields of {@code part} follow. */
    void mark(Part part) {
        room(1);
        key[keyEnd++] = (byte) (part.ordinal() << WireCursor.TYPE_BITS);
    }

    private static long bits(int... fields) {
        return Arrays.stream(fields).mapToLong(field -> 1L << field).sum();
    }

    /** Reads the message in the current field, and records its fields that matter. */
    void scan(Part part, WireCursor wire) throws InvalidProtocolBufferException {
        int outer = wire.enter();
        mark(part);
        switch (part) {
            case CONTAINER, INIT_CONTAINER -> {
                contained = true;
                keepAll(CONTAINER, 0, wire);
            }
            case CONDITION -> keepAll(CONDITION, TEXTS_OF_CONDITION, wire);
            case CONTAINER_STATUS, INIT_CONTAINER_STATUS -> keepAll(CONTAINER_STATUS, 0, wire);
            case SPEC, STATUS, UNJUDGED -> throw new IllegalArgumentException(part + " is read by PodScanner");
        }
        wire.leave(outer);
    }

    /**
     * @param which the fields to record
     * @param texts the fields that are only checked to be strings
     */
    private void keepAll(long which, long texts, WireCursor wire) throws InvalidProtocolBufferException {
        int to = wire.limit();
        for (int at = wire.position(); at < to; ) {
            int next = afterUsualField(which, texts, at, to);
            at = next > 0 ? next : afterField(which, texts, at, to, wire.depth());
        }
        wire.moveToLimit();
    }

    /** Fast path like that of {@link WireShape}: returns 0 for an unusual field. */
    private int afterUsualField(long which, long texts, int from, int to) {
        int at = from;
        int tag = bytes[at++];
        if (tag < 0) {
            if (at == to || bytes[at] < 0) {
                return 0;
            }
            tag = tag & 0x7F | bytes[at++] << 7;
        }
        int type = tag & WireCursor.TYPE_MASK;
        int field = tag >>> WireCursor.TYPE_BITS;
        if (field == 0 || at == to || type != WireCursor.DELIMITED && type != WireCursor.VARINT) {
            return 0;
        }
        int value = bytes[at++];
        if (value < 0) {
            if (at == to || bytes[at] < 0) {
                return 0;
            }
            value = value & 0x7F | bytes[at++] << 7;
        }
        if (type == WireCursor.VARINT) {
            return at;
        }
        if (value > to - at) {
            return 0;
        }
        if (isIn(which, field)) {
            keep(from, at + value);
        } else if (isIn(texts, field) && !WireCursor.isAscii(bytes, at, at + value)) {
            return 0;
        }
        return at + value;
    }

    private int afterField(long which, long texts, int from, int to, int depth) throws InvalidProtocolBufferException {
        WireCursor wire = new WireCursor(bytes, from, to, depth);
        if (wire.next()) {
            boolean matters = wire.isDelimited() && isIn(which, wire.field());
            if (wire.isDelimited() && isIn(texts, wire.field())) {
                wire.readString();
            } else {
                wire.skip();
            }
            if (matters) {
                keep(from, wire.position());
            }
        }
        return wire.position();
    }

    private static boolean isIn(long which, int field) {
        return field < Long.SIZE && (which >>> field & 1) != 0;
    }

    /** Records a field, including its tag. */
    void keep(int from, int to) {
        room(to - from);
        System.arraycopy(bytes, from, key, keyEnd, to - from);
        keyEnd += to - from;
    }

    /** Records a field of the template, including its tag. */
    void keepForTemplate(int from, int to) {
        keep(from, to);
        if (fieldEnd > 0 && fields[fieldEnd - 1] == from) {
            fields[fieldEnd - 1] = to;
            return;
        }
        fields = grown(fields, fieldEnd);
        fields[fieldEnd++] = from;
        fields[fieldEnd++] = to;
    }

    private static int[] grown(int[] pairs, int end) {
        return end == pairs.length ? Arrays.copyOf(pairs, end * 2) : pairs;
    }

    private void room(int more) {
        if (key.length - keyEnd < more) {
            key = Arrays.copyOf(key, Math.max(FEWEST_BYTES, (keyEnd + more) * 2));
        }
    }

    /**
     * Ends a Pod message that is the pod, or a piece of it. Looks for a pod with the same key so far, whose fields were
     * checked; if there is none, checks those of this piece.
     */
    void endPiece(int from, WireCursor wire) throws InvalidProtocolBufferException {
        pieces = grown(pieces, pieceEnd);
        pieces[pieceEnd++] = from;
        pieces[pieceEnd++] = wire.position();
        if (keyEnd == 0) {
            known = KnownPod.EMPTY;
            return;
        }
        hash = KeyedHash.of(key, 0, keyEnd);
        known = cache == null ? null : cache.find(hash, key, keyEnd);
        if (known == null) {
            POD.checkFields(new WireCursor(bytes, from, wire.position(), wire.depth()));
        }
    }

    /** What is known of the pod's key; null if the pod must be parsed. */
    @Nullable
    KnownPod known() {
        return known;
    }

    /** Parses the pod for its requests. Do not use the result if {@code violations} were added. */
    KnownPod parse(Violations violations) {
        if (!contained && !repels()) {
            return new KnownPod(key, PodRequests.UNKNOWN, PodRequests.UNKNOWN, null, KnownPod.Controller.NONE);
        }
        Pod.Builder pod = Pod.newBuilder();
        try {
            for (int at = 0; at < pieceEnd; at += 2) {
                pod.mergeFrom(PARSER.parseFrom(bytes, pieces[at], pieces[at + 1] - pieces[at]));
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("bytes that were checked do not parse", e);
        }
        PodLimits limits = StoredObjectTranslator.LIMITS;
        List<AntiAffinityTerm> terms = repels() ? AntiAffinityTranslator.terms(pod.build()) : List.of();
        PodRequests taken = RequestsTranslator.taken(pod.getSpec(), pod.getStatus(), limits, violations)
                .withAntiAffinity(terms);
        PodRequests asked = RequestsTranslator.asked(pod.getSpec(), limits, new Violations())
                .withNonZero(taken.nonZero())
                .withAntiAffinity(terms);
        return new KnownPod(key, asked.equals(taken) ? taken : asked, taken, null, KnownPod.Controller.NONE);
    }

    /** The controller of the pod whose template was returned last. */
    KnownPod.Controller controller() {
        return controller;
    }

    /**
     * Returns the template, and caches what was made of the pod.
     *
     * @param nodeFrom start of the node's name in the pod's bytes
     * @param nodeTo exclusive end of that name, which is empty if the pod has no node yet or will be on another one
     */
    PodTemplate template(KnownPod its, int nodeFrom, int nodeTo) {
        controller = its.controller;
        if (its.template != null) {
            return its.template;
        }
        TemplateWriter by = writer == null ? new TemplateWriter() : writer;
        writer = by;
        by.begin(bytes);
        for (int at = 0; at < fieldEnd; at += 2) {
            by.read(fields[at], fields[at + 1]);
        }
        controller = by.controller();
        PodTemplate written = by.write(nodeFrom, nodeTo, its.asked, unjudged);
        if (cache == null) {
            return written;
        }
        PodTemplate shared = cache.shared(written);
        if (known == null) {
            cache.put(
                    hash,
                    new KnownPod(
                            Arrays.copyOf(key, keyEnd),
                            its.asked,
                            its.taken,
                            by.mayNameItsNode() ? null : shared,
                            controller));
        }
        return shared;
    }
}
