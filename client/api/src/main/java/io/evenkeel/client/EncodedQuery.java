package io.evenkeel.client;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
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
public final class EncodedQuery extends QueryOfState<EncodedQuery> {
    private final List<byte[]> pods;

    /** @param rest everything but the pods */
    private EncodedQuery(EvaluateRequest rest, List<byte[]> pods) {
        super(rest);
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

    @Override
    EncodedQuery with(EvaluateRequest changed) {
        return new EncodedQuery(changed, pods);
    }

    /** The same query about the state of a session. It asks for the node table, unless the client knows one. */
    EncodedQuery in(String session) {
        return with(request.toBuilder()
                .setSession(session)
                .setKnownNodeTableToken(request.getKnownNodeTableToken())
                .build());
    }

    QueryOptions options() {
        return request.getOptions();
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
                && !request.getFreshness().hasRevision()
                && request.getSession().isEmpty();
        if (!demands && known.isEmpty()) {
            return request;
        }
        EvaluateRequest.Builder sent = request.toBuilder();
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
