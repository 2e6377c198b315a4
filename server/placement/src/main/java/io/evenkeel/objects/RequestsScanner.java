package io.evenkeel.objects;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerStatus;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Copies the fields that a pod's requests depend on while {@link PodScanner} reads the pod. They are the same in
 * replicas of one phase, so the requests are usually found in a {@link TemplateCache}. Only if they are not, the pod is
 * parsed.
 *
 * <pre>
 *   key   │ CONTAINER │ name │ ports │ resources │ CONTAINER │ … │ overhead │ CONDITION │ … │ STATUS │ name │ … │
 *
 *         A mark starts each part. It differs from all tags, whose wire type is that of a message or text. The fields of
 *         PodSpec and PodStatus have no mark because no part has a field with their tags.
 * </pre>
 *
 * An instance is used for one pod after another. Not thread-safe.
 */
final class RequestsScanner {
    private static final WireShape POD = WireShape.of(Pod.getDescriptor());
    private static final WireShape SPEC = POD.child(Pod.SPEC_FIELD_NUMBER);
    private static final WireShape STATUS = POD.child(Pod.STATUS_FIELD_NUMBER);
    private static final Parser<Pod> PARSER = DiscardUnknownFieldsParser.wrap(Pod.parser());

    /** A message in a pod, some of whose fields are kept. */
    static final class Part {
        static final Part CONTAINER = new Part(
                0,
                SPEC.child(PodSpec.CONTAINERS_FIELD_NUMBER),
                Container.NAME_FIELD_NUMBER,
                Container.PORTS_FIELD_NUMBER,
                Container.RESOURCES_FIELD_NUMBER);
        static final Part INIT_CONTAINER = new Part(
                1,
                SPEC.child(PodSpec.INIT_CONTAINERS_FIELD_NUMBER),
                Container.NAME_FIELD_NUMBER,
                Container.PORTS_FIELD_NUMBER,
                Container.RESOURCES_FIELD_NUMBER,
                Container.RESTART_POLICY_FIELD_NUMBER);
        static final Part CONDITION = new Part(
                2,
                STATUS.child(PodStatus.CONDITIONS_FIELD_NUMBER),
                PodCondition.TYPE_FIELD_NUMBER,
                PodCondition.REASON_FIELD_NUMBER);
        static final Part CONTAINER_STATUS = new Part(
                3,
                STATUS.child(PodStatus.CONTAINER_STATUSES_FIELD_NUMBER),
                ContainerStatus.NAME_FIELD_NUMBER,
                ContainerStatus.ALLOCATED_RESOURCES_FIELD_NUMBER,
                ContainerStatus.RESOURCES_FIELD_NUMBER);
        static final Part INIT_CONTAINER_STATUS = new Part(
                4,
                STATUS.child(PodStatus.INIT_CONTAINER_STATUSES_FIELD_NUMBER),
                ContainerStatus.NAME_FIELD_NUMBER,
                ContainerStatus.ALLOCATED_RESOURCES_FIELD_NUMBER,
                ContainerStatus.RESOURCES_FIELD_NUMBER);

        private final byte mark;
        private final WireShape shape;
        private final long kept;

        private Part(int number, WireShape shape, int... kept) {
            this.mark = (byte) (number << WireCursor.TYPE_BITS);
            this.shape = shape;
            this.kept = Arrays.stream(kept).mapToLong(field -> 1L << field).reduce(0, (a, b) -> a | b);
        }

        private boolean keeps(WireCursor wire) {
            return wire.isDelimited() && wire.field() < Long.SIZE && (kept >>> wire.field() & 1) != 0;
        }
    }

    private final @Nullable RequestsCache cache;
    private byte[] bytes = {};
    private int[] pieces = new int[2];
    private int pieceEnd;
    private byte[] key = {};
    private int keyEnd;
    private boolean contained;

    /** @param cache requests that were read before; null if none are kept */
    RequestsScanner(@Nullable RequestsCache cache) {
        this.cache = cache;
    }

    /** Starts the next pod. */
    void begin(byte[] of) {
        bytes = of;
        pieceEnd = 0;
        keyEnd = 0;
        contained = false;
    }

    /** Records a Pod message that is the pod, or a part of it. */
    void piece(int from, int to) {
        if (pieceEnd == pieces.length) {
            pieces = Arrays.copyOf(pieces, pieceEnd * 2);
        }
        pieces[pieceEnd++] = from;
        pieces[pieceEnd++] = to;
    }

    /** Checks a message that is a part of the pod, and records what the requests depend on. */
    void scan(Part part, WireCursor wire) throws InvalidProtocolBufferException {
        int outer = wire.enter();
        contained |= part == Part.CONTAINER || part == Part.INIT_CONTAINER;
        room(1);
        key[keyEnd++] = part.mark;
        for (int start = wire.position(); wire.next(); start = wire.position()) {
            part.shape.checkValue(wire);
            if (part.keeps(wire)) {
                keep(start, wire.position());
            }
        }
        wire.leave(outer);
    }

    /** Records a field of PodSpec or PodStatus, including its tag. It must be well-formed. */
    void keep(int from, int to) {
        room(to - from);
        System.arraycopy(bytes, from, key, keyEnd, to - from);
        keyEnd += to - from;
    }

    private void room(int more) {
        if (key.length - keyEnd < more) {
            key = Arrays.copyOf(key, Math.max(512, (keyEnd + more) * 2));
        }
    }

    /** The requests; null if the pod must be parsed. */
    @Nullable
    ScannedRequests find() {
        if (!contained) {
            return ScannedRequests.UNKNOWN;
        }
        return cache == null ? null : cache.find(hash(), key, keyEnd);
    }

    private int hash() {
        return KeyedHash.of(key, 0, keyEnd);
    }

    /** Parses the pod and returns its requests. Do not use them if {@code violations} were added. */
    ScannedRequests parse(Violations violations) {
        Pod.Builder pod = Pod.newBuilder();
        try {
            for (int at = 0; at < pieceEnd; at += 2) {
                pod.mergeFrom(PARSER.parseFrom(bytes, pieces[at], pieces[at + 1] - pieces[at]));
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("bytes that were checked do not parse", e);
        }
        PodLimits limits = StoredObjectTranslator.LIMITS;
        PodRequests taken = RequestsTranslator.taken(pod.getSpec(), pod.getStatus(), limits, violations);
        PodRequests asked = RequestsTranslator.asked(pod.getSpec(), limits, new Violations());
        ScannedRequests parsed = new ScannedRequests(asked.equals(taken) ? taken : asked, taken);
        if (cache != null && violations.isEmpty()) {
            cache.put(hash(), key, keyEnd, parsed);
        }
        return parsed;
    }
}
