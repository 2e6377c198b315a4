package io.evenkeel.client;

import com.google.protobuf.CodedOutputStream;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A question about pods that are given as protobuf bytes, of {@code evenkeel.v1.Pod} or of a Kubernetes {@code Pod}.
 * The bytes are sent as they are, and the server does not parse a pod if a replica of it was asked about before.
 * Immutable, as long as the arrays are not changed.
 *
 * <pre>{@code
 * client.evaluate(EncodedQuery.of(QueryOptions.newBuilder().setForm(AnswerForm.ANSWER_FORM_PACKED).build(), podBytes))
 * }</pre>
 *
 * <p>Bytes that are not a pod's make the call fail with INVALID_ARGUMENT.
 */
public final class EncodedQuery {
    private final QueryOptions options;
    private final List<byte[]> pods;
    private final Freshness freshness;

    private EncodedQuery(QueryOptions options, List<byte[]> pods, Freshness freshness) {
        this.options = options;
        this.pods = pods;
        this.freshness = freshness;
    }

    /** About these pods, each on its own. */
    public static EncodedQuery of(QueryOptions options, byte[]... pods) {
        return of(options, Arrays.asList(pods));
    }

    /** About these pods, each on its own. */
    public static EncodedQuery of(QueryOptions options, List<byte[]> pods) {
        return new EncodedQuery(options, List.copyOf(pods), Freshness.getDefaultInstance());
    }

    /** Demands an answer from a state that has reached at least this revision. */
    public EncodedQuery atLeast(Revision revision) {
        return new EncodedQuery(
                options, pods, freshness.toBuilder().setRevision(revision).build());
    }

    /**
     * The bytes of a FilterRequest, ScoreRequest or EvaluateRequest, which share these fields. The request demands
     * {@code own}, unless the query demands a revision itself.
     */
    byte[] encode(@Nullable Revision own) {
        Freshness demanded = own == null || freshness.hasRevision()
                ? freshness
                : freshness.toBuilder().setRevision(own).build();
        boolean demanding = demanded.getSerializedSize() > 0;
        int size = CodedOutputStream.computeMessageSize(EvaluateRequest.OPTIONS_FIELD_NUMBER, options);
        if (demanding) {
            size += CodedOutputStream.computeMessageSize(EvaluateRequest.FRESHNESS_FIELD_NUMBER, demanded);
        }
        for (byte[] pod : pods) {
            size += CodedOutputStream.computeByteArraySize(EvaluateRequest.PODS_FIELD_NUMBER, pod);
        }
        byte[] request = new byte[size];
        CodedOutputStream out = CodedOutputStream.newInstance(request);
        try {
            for (byte[] pod : pods) {
                out.writeByteArray(EvaluateRequest.PODS_FIELD_NUMBER, pod);
            }
            out.writeMessage(EvaluateRequest.OPTIONS_FIELD_NUMBER, options);
            if (demanding) {
                out.writeMessage(EvaluateRequest.FRESHNESS_FIELD_NUMBER, demanded);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("an array does not fail", e);
        }
        return request;
    }
}
