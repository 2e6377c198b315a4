package io.evenkeel.placement.query;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ScoreRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads queries from the bytes of FilterRequest, ScoreRequest and EvaluateRequest, which share their field numbers. It
 * does not parse pods that are known, nor options that are equal to those of the query before. Where something in the
 * bytes is unusual, it leaves the whole request to the generated parser, which also says what is wrong. Safe for use by
 * several threads.
 */
public final class QueryReader {
    private static final int PODS = WireCursor.delimited(EvaluateRequest.PODS_FIELD_NUMBER);
    private static final int OPTIONS = WireCursor.delimited(EvaluateRequest.OPTIONS_FIELD_NUMBER);
    private static final int REQUEST_ID = WireCursor.varint(EvaluateRequest.REQUEST_ID_FIELD_NUMBER);

    /** How many bytes are parsed at most where the caller must not wait: some hundred microseconds of work. */
    private static final int MOST_PARSED_AT_ONCE = 32 << 10;

    /** The largest options that are kept for comparison with those of the next query. */
    private static final int MOST_BYTES_KEPT = 1 << 20;

    private static final Parser<FilterRequest> FILTER = DiscardUnknownFieldsParser.wrap(FilterRequest.parser());
    private static final Parser<ScoreRequest> SCORE = DiscardUnknownFieldsParser.wrap(ScoreRequest.parser());
    private static final Parser<EvaluateRequest> EVALUATE = DiscardUnknownFieldsParser.wrap(EvaluateRequest.parser());
    private static final Parser<QueryOptions> QUERY_OPTIONS = DiscardUnknownFieldsParser.wrap(QueryOptions.parser());

    private static final class Kept {
        final byte[] bytes;
        final ResolvedOptions options;

        Kept(byte[] bytes, ResolvedOptions options) {
            this.bytes = bytes;
            this.options = options;
        }
    }

    private final PodPlans plans;
    private volatile @Nullable Kept last;

    public QueryReader(PodPlans plans) {
        this.plans = plans;
    }

    /**
     * Reads a query.
     *
     * @param over as in {@link Prepared#answer(BooleanSupplier)}; called once for each pod
     * @throws InvalidProtocolBufferException where these are not the bytes of such a request
     */
    public PodQuery read(PodQuery.Kind kind, byte[] bytes, BooleanSupplier over) throws InvalidProtocolBufferException {
        PodQuery query = walk(kind, bytes, Integer.MAX_VALUE, over);
        return query == null ? parse(kind, bytes) : query;
    }

    /** As {@link #read} where that takes well under a millisecond; otherwise null. */
    public @Nullable PodQuery readAtOnce(PodQuery.Kind kind, byte[] bytes) throws InvalidProtocolBufferException {
        PodQuery query = walk(kind, bytes, MOST_PARSED_AT_ONCE, () -> false);
        return query == null && bytes.length <= MOST_PARSED_AT_ONCE ? parse(kind, bytes) : query;
    }

    private static PodQuery parse(PodQuery.Kind kind, byte[] bytes) throws InvalidProtocolBufferException {
        return switch (kind) {
            case FILTER -> PodQuery.of(FILTER.parseFrom(bytes));
            case SCORE -> PodQuery.of(SCORE.parseFrom(bytes));
            case EVALUATE -> PodQuery.of(EVALUATE.parseFrom(bytes));
        };
    }

    /**
     * Reads the query field by field. Null where the generated parser must read the request, or where more than
     * {@code mostParsed} bytes would have to be parsed.
     */
    private @Nullable PodQuery walk(PodQuery.Kind kind, byte[] bytes, int mostParsed, BooleanSupplier over) {
        try {
            return tryToWalk(kind, bytes, mostParsed, over);
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }

    private @Nullable PodQuery tryToWalk(PodQuery.Kind kind, byte[] bytes, int mostParsed, BooleanSupplier over)
            throws InvalidProtocolBufferException {
        int left = mostParsed;
        List<RequestedPod> pods = new ArrayList<>();
        ResolvedOptions options = ResolvedOptions.NONE;
        long requestId = 0;
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        while (wire.next()) {
            int tag = wire.tag();
            if (tag == PODS) {
                if (over.getAsBoolean()) {
                    throw new CancellationException("nobody waits for the answer");
                }
                int outer = wire.enter();
                int from = wire.position();
                RequestedPod pod = plans.ask(wire, left);
                if (pod == null) {
                    return null;
                }
                left -= pod.wasParsed() ? wire.position() - from : 0;
                pods.add(pod);
                wire.leave(outer);
            } else if (tag == OPTIONS) {
                if (options != ResolvedOptions.NONE) {
                    // A second one must be merged with the first: the generated parser does that.
                    return null;
                }
                wire.readBytes();
                if (wire.position() - wire.from() > left) {
                    return null;
                }
                options = options(bytes, wire.from(), wire.position());
            } else if (tag == REQUEST_ID) {
                requestId = wire.readVarint();
            } else {
                wire.skip();
            }
        }
        return new PodQuery(kind, pods, options, requestId);
    }

    private ResolvedOptions options(byte[] bytes, int from, int to) throws InvalidProtocolBufferException {
        Kept kept = last;
        if (kept != null && Arrays.equals(kept.bytes, 0, kept.bytes.length, bytes, from, to)) {
            return kept.options;
        }
        ResolvedOptions options = new ResolvedOptions(QUERY_OPTIONS.parseFrom(bytes, from, to - from));
        if (to - from <= MOST_BYTES_KEPT) {
            last = new Kept(Arrays.copyOfRange(bytes, from, to), options);
        }
        return options;
    }
}
