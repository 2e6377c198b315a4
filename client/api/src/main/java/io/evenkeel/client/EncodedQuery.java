package io.evenkeel.client;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
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
    /** Everything but the pods. FilterRequest and ScoreRequest have the same fields. */
    private final EvaluateRequest rest;

    private final List<byte[]> pods;

    private EncodedQuery(EvaluateRequest rest, List<byte[]> pods) {
        this.rest = rest;
        this.pods = pods;
    }

    /** A query about these pods, each evaluated independently. */
    public static EncodedQuery of(QueryOptions options, byte[]... pods) {
        return of(options, Arrays.asList(pods));
    }

    /** A query about these pods, each evaluated independently. */
    public static EncodedQuery of(QueryOptions options, List<byte[]> pods) {
        return new EncodedQuery(EvaluateRequest.newBuilder().setOptions(options).build(), List.copyOf(pods));
    }

    /** Requires a state that has reached at least this revision. */
    public EncodedQuery atLeast(Revision revision) {
        return fresh(rest.getFreshness().toBuilder().setRevision(revision).build());
    }

    /** Requires a state that includes every event up to these versions. */
    public EncodedQuery holding(ResourceVersions versions) {
        return fresh(versions.demandedBy(rest.getFreshness()));
    }

    /**
     * Requires that every kind's feed has sent something within this time. Use at least 75 seconds, because an API
     * server sends bookmarks about once a minute.
     */
    public EncodedQuery noOlderThan(Duration age) {
        return fresh(ResourceVersions.within(age, rest.getFreshness()));
    }

    /** Asks for the versions that the answer is based on. Read them with {@link ResourceVersions#of(List)}. */
    public EncodedQuery tellVersions() {
        return fresh(
                rest.getFreshness().toBuilder().setIncludeResourceVersions(true).build());
    }

    /** Sets how fresh the state must be. */
    public EncodedQuery fresh(Freshness demanded) {
        return new EncodedQuery(rest.toBuilder().setFreshness(demanded).build(), pods);
    }

    /** Asks about a hypothetical cluster: the overlay removes and adds pods. */
    public EncodedQuery over(Overlay changes) {
        return new EncodedQuery(rest.toBuilder().setOverlay(changes).build(), pods);
    }

    /** The same query about the state of a session. It asks for the node table, unless the client knows one. */
    EncodedQuery in(String session) {
        return new EncodedQuery(
                rest.toBuilder()
                        .setSession(session)
                        .setKnownNodeTableToken(rest.getKnownNodeTableToken())
                        .build(),
                pods);
    }

    QueryOptions options() {
        return rest.getOptions();
    }

    /**
     * The bytes of a FilterRequest, ScoreRequest or EvaluateRequest. The request requires revision {@code own}, unless
     * the query already requires a revision or names a session.
     *
     * @param known the token of the node table that the caller knows; "" for none
     */
    byte[] encode(@Nullable Revision own, String known) {
        EvaluateRequest sent = sent(own, known);
        byte[] request = new byte[size(sent)];
        try {
            write(sent, CodedOutputStream.newInstance(request));
        } catch (IOException e) {
            throw new UncheckedIOException("writing to an array cannot fail", e);
        }
        return request;
    }

    /** The bytes of {@code message}, with the request of {@link #encode}. */
    byte[] encodeMessage(@Nullable Revision own, String known, EvaluateStreamRequest message) {
        EvaluateRequest sent = sent(own, known);
        int size = size(sent);
        byte[] bytes = new byte
                [CodedOutputStream.computeTagSize(EvaluateStreamRequest.REQUEST_FIELD_NUMBER)
                        + CodedOutputStream.computeUInt32SizeNoTag(size)
                        + size
                        + message.getSerializedSize()];
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            out.writeTag(EvaluateStreamRequest.REQUEST_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
            out.writeUInt32NoTag(size);
            write(sent, out);
            message.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to an array cannot fail", e);
        }
        return bytes;
    }

    private EvaluateRequest sent(@Nullable Revision own, String known) {
        boolean demands = own != null
                && !rest.getFreshness().hasRevision()
                && rest.getSession().isEmpty();
        if (!demands && known.isEmpty()) {
            return rest;
        }
        EvaluateRequest.Builder sent = rest.toBuilder();
        if (demands) {
            sent.getFreshnessBuilder().setRevision(own);
        }
        return known.isEmpty()
                ? sent.build()
                : sent.setKnownNodeTableToken(known).build();
    }

    private int size(EvaluateRequest sent) {
        int size = sent.getSerializedSize();
        for (byte[] pod : pods) {
            size += CodedOutputStream.computeByteArraySize(EvaluateRequest.PODS_FIELD_NUMBER, pod);
        }
        return size;
    }

    private void write(EvaluateRequest sent, CodedOutputStream out) throws IOException {
        for (byte[] pod : pods) {
            out.writeByteArray(EvaluateRequest.PODS_FIELD_NUMBER, pod);
        }
        sent.writeTo(out);
    }
}
