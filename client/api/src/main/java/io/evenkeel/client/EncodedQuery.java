package io.evenkeel.client;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Duration;
import com.google.protobuf.WireFormat;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query about pods in encoded form: the protobuf bytes of an {@code evenkeel.v1.Pod} or a Kubernetes {@code Pod}. The
 * bytes are sent unchanged, and the server does not parse a pod if it has seen a replica of it before. Immutable, as
 * long as the arrays are not changed.
 *
 * <pre>{@code
 * client.evaluate(EncodedQuery.of(QueryOptions.newBuilder().setForm(AnswerForm.ANSWER_FORM_PACKED).build(),
 * podBytes))
 * }</pre>
 *
 * <p>Malformed pod bytes make a call fail with INVALID_ARGUMENT, and end an {@link EvaluationStream}.
 */
public final class EncodedQuery {
    private final QueryOptions options;
    private final List<byte[]> pods;
    private final Freshness freshness;
    private final Overlay overlay;

    private EncodedQuery(QueryOptions options, List<byte[]> pods, Freshness freshness, Overlay overlay) {
        this.options = options;
        this.pods = pods;
        this.freshness = freshness;
        this.overlay = overlay;
    }

    /** A query about these pods, each evaluated independently. */
    public static EncodedQuery of(QueryOptions options, byte[]... pods) {
        return of(options, Arrays.asList(pods));
    }

    /** A query about these pods, each evaluated independently. */
    public static EncodedQuery of(QueryOptions options, List<byte[]> pods) {
        return new EncodedQuery(
                options, List.copyOf(pods), Freshness.getDefaultInstance(), Overlay.getDefaultInstance());
    }

    /** Requires a state that has reached at least this revision. */
    public EncodedQuery atLeast(Revision revision) {
        return fresh(freshness.toBuilder().setRevision(revision).build());
    }

    /** Requires a state that includes every event up to these versions. */
    public EncodedQuery holding(ResourceVersions versions) {
        return fresh(versions.demandedBy(freshness));
    }

    /**
     * Requires that every kind's feed has sent something within this time. Use at least 75 seconds, because an API
     * server sends bookmarks about once a minute.
     */
    public EncodedQuery noOlderThan(java.time.Duration age) {
        return fresh(ResourceVersions.within(age, freshness));
    }

    /** Asks for the versions that the answer is based on. Read them with {@link ResourceVersions#of(List)}. */
    public EncodedQuery tellVersions() {
        return fresh(freshness.toBuilder().setIncludeResourceVersions(true).build());
    }

    /** Sets how fresh the state must be. */
    public EncodedQuery fresh(Freshness demanded) {
        return new EncodedQuery(options, pods, demanded, overlay);
    }

    /** Asks about a hypothetical cluster: the overlay removes and adds pods. */
    public EncodedQuery over(Overlay changes) {
        return new EncodedQuery(options, pods, freshness, changes);
    }

    QueryOptions options() {
        return options;
    }

    /**
     * The bytes of a FilterRequest, ScoreRequest or EvaluateRequest, which share these fields. The request requires
     * revision {@code own}, unless the query already requires a revision.
     *
     * @param known the token of the node table that the caller knows; "" for none
     */
    byte[] encode(@Nullable Revision own, String known) {
        Freshness demanded = demanding(own);
        byte[] request = new byte[size(demanded, known)];
        try {
            write(demanded, known, CodedOutputStream.newInstance(request));
        } catch (IOException e) {
            throw new UncheckedIOException("writing to an array cannot fail", e);
        }
        return request;
    }

    /** The bytes of an EvaluateStreamRequest that contains the request of {@link #encode}. */
    byte[] encodeMessage(@Nullable Revision own, String known, long tag, Duration timeout) {
        Freshness demanded = demanding(own);
        int size = size(demanded, known);
        boolean limited = timeout.getSerializedSize() > 0;
        byte[] message = new byte
                [CodedOutputStream.computeTagSize(EvaluateStreamRequest.REQUEST_FIELD_NUMBER)
                        + CodedOutputStream.computeUInt32SizeNoTag(size)
                        + size
                        + CodedOutputStream.computeInt64Size(EvaluateStreamRequest.TAG_FIELD_NUMBER, tag)
                        + (limited
                                ? CodedOutputStream.computeMessageSize(
                                        EvaluateStreamRequest.TIMEOUT_FIELD_NUMBER, timeout)
                                : 0)];
        CodedOutputStream out = CodedOutputStream.newInstance(message);
        try {
            out.writeTag(EvaluateStreamRequest.REQUEST_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
            out.writeUInt32NoTag(size);
            write(demanded, known, out);
            out.writeInt64(EvaluateStreamRequest.TAG_FIELD_NUMBER, tag);
            if (limited) {
                out.writeMessage(EvaluateStreamRequest.TIMEOUT_FIELD_NUMBER, timeout);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("writing to an array cannot fail", e);
        }
        return message;
    }

    private Freshness demanding(@Nullable Revision own) {
        return own == null || freshness.hasRevision()
                ? freshness
                : freshness.toBuilder().setRevision(own).build();
    }

    private int size(Freshness demanded, String known) {
        int size = CodedOutputStream.computeMessageSize(EvaluateRequest.OPTIONS_FIELD_NUMBER, options);
        if (demanded.getSerializedSize() > 0) {
            size += CodedOutputStream.computeMessageSize(EvaluateRequest.FRESHNESS_FIELD_NUMBER, demanded);
        }
        if (!known.isEmpty()) {
            size += CodedOutputStream.computeStringSize(EvaluateRequest.KNOWN_NODE_TABLE_TOKEN_FIELD_NUMBER, known);
        }
        if (overlay.getSerializedSize() > 0) {
            size += CodedOutputStream.computeMessageSize(EvaluateRequest.OVERLAY_FIELD_NUMBER, overlay);
        }
        for (byte[] pod : pods) {
            size += CodedOutputStream.computeByteArraySize(EvaluateRequest.PODS_FIELD_NUMBER, pod);
        }
        return size;
    }

    private void write(Freshness demanded, String known, CodedOutputStream out) throws IOException {
        for (byte[] pod : pods) {
            out.writeByteArray(EvaluateRequest.PODS_FIELD_NUMBER, pod);
        }
        out.writeMessage(EvaluateRequest.OPTIONS_FIELD_NUMBER, options);
        if (demanded.getSerializedSize() > 0) {
            out.writeMessage(EvaluateRequest.FRESHNESS_FIELD_NUMBER, demanded);
        }
        if (!known.isEmpty()) {
            out.writeString(EvaluateRequest.KNOWN_NODE_TABLE_TOKEN_FIELD_NUMBER, known);
        }
        if (overlay.getSerializedSize() > 0) {
            out.writeMessage(EvaluateRequest.OVERLAY_FIELD_NUMBER, overlay);
        }
    }
}
