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
    private static final Parser<Pod> PARSER = DiscardUnknownFieldsParser.wrap(Pod.parser());

    /** A message in a pod, some of whose fields are kept. */
    enum Part {
        CONTAINER,
        INIT_CONTAINER,
        CONDITION,
        CONTAINER_STATUS,
        INIT_CONTAINER_STATUS;

        private byte mark() {
            return (byte) (ordinal() << WireCursor.TYPE_BITS);
        }
    }

    private static final WireShape CONTAINER = WireShape.keeping(
            Container.NAME_FIELD_NUMBER,
            Container.PORTS_FIELD_NUMBER,
            Container.RESOURCES_FIELD_NUMBER,
            Container.RESTART_POLICY_FIELD_NUMBER);
    private static final WireShape CONDITION =
            WireShape.keeping(PodCondition.TYPE_FIELD_NUMBER, PodCondition.REASON_FIELD_NUMBER);
    private static final WireShape STATUS = WireShape.keeping(
            ContainerStatus.NAME_FIELD_NUMBER,
            ContainerStatus.ALLOCATED_RESOURCES_FIELD_NUMBER,
            ContainerStatus.RESOURCES_FIELD_NUMBER);

    private final @Nullable RequestsCache cache;
    private byte[] bytes = {};
    private int[] pieces = new int[2];
    private int pieceEnd;
    private byte[] key = {};
    private int keyEnd;
    private boolean contained;
    private @Nullable ScannedRequests known;

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
        known = null;
    }

    /** Reads a message that is a part of the pod, and records what the requests depend on. */
    void scan(Part part, WireCursor wire) throws InvalidProtocolBufferException {
        int outer = wire.enter();
        contained |= part == Part.CONTAINER || part == Part.INIT_CONTAINER;
        room(1);
        key[keyEnd++] = part.mark();
        switch (part) {
            case CONTAINER, INIT_CONTAINER -> CONTAINER.keepFields(wire, this);
            case CONDITION -> CONDITION.keepFields(wire, this);
            case CONTAINER_STATUS, INIT_CONTAINER_STATUS -> STATUS.keepFields(wire, this);
        }
        wire.leave(outer);
    }

    /** Records a field, including its tag. */
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

    /**
     * Ends a Pod message that is the pod, or a piece of it. Checks the recorded fields, unless a pod with the same ones
     * was parsed before.
     */
    void endPiece(int from, WireCursor wire) throws InvalidProtocolBufferException {
        if (pieceEnd == pieces.length) {
            pieces = Arrays.copyOf(pieces, pieceEnd * 2);
        }
        pieces[pieceEnd++] = from;
        pieces[pieceEnd++] = wire.position();
        known = contained && cache != null ? cache.find(hash(), key, keyEnd) : null;
        if (known == null && keyEnd > 0) {
            POD.checkFields(new WireCursor(bytes, from, wire.position(), wire.depth()));
        }
    }

    /** The requests; null if the pod must be parsed. */
    @Nullable
    ScannedRequests find() {
        return contained ? known : ScannedRequests.UNKNOWN;
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
