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
 * Reads queries from the bytes of FilterRequest, ScoreRequest and EvaluateRequest, which have their fields in common:
 * pods that are known are not parsed, nor options that are those of the query before. Where anything is not as it
 * should be, the generated parser is given the whole and says what is wrong. Safe for use by several threads.
 */
public final class QueryReader {
    private static final int PODS = WireCursor.delimited(EvaluateRequest.PODS_FIELD_NUMBER);
    private static final int OPTIONS = WireCursor.delimited(EvaluateRequest.OPTIONS_FIELD_NUMBER);
    private static final int REQUEST_ID = WireCursor.varint(EvaluateRequest.REQUEST_ID_FIELD_NUMBER);

    /** What is parsed where the caller must not be held up: some hundred microseconds' worth. */
    private static final int MOST_PARSED_AT_ONCE = 32 << 10;

    /** Of options with many names; one such array is kept. */
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
     * @param over as {@link Prepared#answer(BooleanSupplier)} has it; asked at each pod
     * @throws InvalidProtocolBufferException where these are not the bytes of such a request
     */
    public PodQuery read(PodQuery.Kind kind, byte[] bytes, BooleanSupplier over) throws InvalidProtocolBufferException {
        PodQuery query = walk(kind, bytes, Integer.MAX_VALUE, over);
        return query == null ? parse(kind, bytes) : query;
    }

    /** As {@link #read} where it takes well under a millisecond; else null. */
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

    /** Null where the generated parser has to say what is wrong, or more than so many bytes would have to be parsed. */
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
                    // To be merged.
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
