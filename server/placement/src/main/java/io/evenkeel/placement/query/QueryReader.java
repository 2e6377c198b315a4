package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.Freshness;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads queries from the bytes of FilterRequest, ScoreRequest and EvaluateRequest, which have the same fields, and of
 * EvaluateStreamRequest, which contains an EvaluateRequest. Does not parse cached pods, or options equal to those of
 * the previous query. If anything in the bytes is unusual, the generated parser reads the whole request and reports any
 * error. Thread-safe.
 */
public final class QueryReader {
    private static final int PODS = WireCursor.delimited(EvaluateRequest.PODS_FIELD_NUMBER);
    private static final int OPTIONS = WireCursor.delimited(EvaluateRequest.OPTIONS_FIELD_NUMBER);
    private static final int FRESHNESS = WireCursor.delimited(EvaluateRequest.FRESHNESS_FIELD_NUMBER);
    private static final int KNOWN_TOKEN = WireCursor.delimited(EvaluateRequest.KNOWN_NODE_TABLE_TOKEN_FIELD_NUMBER);
    private static final int OVERLAY = WireCursor.delimited(EvaluateRequest.OVERLAY_FIELD_NUMBER);
    private static final int SESSION = WireCursor.delimited(EvaluateRequest.SESSION_FIELD_NUMBER);

    private static final int STREAMED = WireCursor.delimited(EvaluateStreamRequest.REQUEST_FIELD_NUMBER);
    private static final int TAG = WireCursor.varint(EvaluateStreamRequest.TAG_FIELD_NUMBER);
    private static final int TIMEOUT = WireCursor.delimited(EvaluateStreamRequest.TIMEOUT_FIELD_NUMBER);

    /** The maximum number of bytes to parse in a thread that must not block: a few hundred microseconds of work. */
    private static final int MAX_PARSED_AT_ONCE = 32 << 10;

    /** The maximum size of options that are kept for comparison with the next query's. */
    private static final int MAX_BYTES_KEPT = 1 << 20;

    private static final Parser<EvaluateRequest> REQUESTS = DiscardUnknownFieldsParser.wrap(EvaluateRequest.parser());
    private static final Parser<EvaluateStreamRequest> STREAM_REQUESTS =
            DiscardUnknownFieldsParser.wrap(EvaluateStreamRequest.parser());
    private static final Parser<Freshness> DEMANDS = DiscardUnknownFieldsParser.wrap(Freshness.parser());
    private static final Parser<Duration> DURATIONS = DiscardUnknownFieldsParser.wrap(Duration.parser());

    /** The query of an EvaluateStream message without one. */
    private static final PodQuery NOTHING = new PodQuery(
            PodQuery.Kind.EVALUATE,
            List.of(),
            PodQuery.Options.NONE,
            Freshness.getDefaultInstance(),
            null,
            null,
            "",
            ByteString.EMPTY);

    private final PodPlans plans;
    private final int maxOverlaid;

    /** The options of the last query, unless they are too long to keep. */
    private volatile PodQuery.Options last = PodQuery.Options.NONE;

    /** @param maxOverlaid the maximum length of each list of an overlay */
    public QueryReader(PodPlans plans, int maxOverlaid) {
        this.plans = plans;
        this.maxOverlaid = maxOverlaid;
    }

    /**
     * Reads a query.
     *
     * @param stop called once per pod
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    public PodQuery read(PodQuery.Kind kind, byte[] bytes, StopSignal stop) throws InvalidProtocolBufferException {
        return sound(walk(kind, bytes, Integer.MAX_VALUE, stop, REQUESTS, Walk::query));
    }

    /** Like {@link #read} if that takes well under a millisecond; otherwise returns null. */
    public @Nullable PodQuery readAtOnce(PodQuery.Kind kind, byte[] bytes) throws InvalidProtocolBufferException {
        return walk(kind, bytes, MAX_PARSED_AT_ONCE, StopSignal.NEVER, REQUESTS, Walk::query);
    }

    /** Like {@link #read}, for a request of EvaluateStream. */
    public StreamQuery readStreamed(byte[] bytes, StopSignal stop) throws InvalidProtocolBufferException {
        return sound(walk(PodQuery.Kind.EVALUATE, bytes, Integer.MAX_VALUE, stop, STREAM_REQUESTS, Walk::streamed));
    }

    /** Like {@link #readStreamed} if that takes well under a millisecond; otherwise returns null. */
    public @Nullable StreamQuery readStreamedAtOnce(byte[] bytes) throws InvalidProtocolBufferException {
        return walk(
                PodQuery.Kind.EVALUATE, bytes, MAX_PARSED_AT_ONCE, StopSignal.NEVER, STREAM_REQUESTS, Walk::streamed);
    }

    /** Reads one kind of request. */
    private interface Reading<Q> {
        /**
         * The query; null if the generated parser must merge the request first, or if too many bytes would have to be
         * parsed.
         */
        @Nullable
        Q of(Walk walk) throws InvalidProtocolBufferException;
    }

    /** Returns null if too many bytes would have to be parsed. */
    private <Q> @Nullable Q walk(
            PodQuery.Kind kind,
            byte[] bytes,
            int maxParsed,
            StopSignal stop,
            Parser<? extends MessageLite> parser,
            Reading<Q> reading)
            throws InvalidProtocolBufferException {
        try {
            Q query = reading.of(new Walk(kind, bytes, maxParsed, stop));
            if (query != null) {
                return query;
            }
        } catch (InvalidProtocolBufferException e) {
            // The generated parser reports the error, unless it accepts the bytes.
        }
        return bytes.length > maxParsed
                ? null
                : reading.of(new Walk(kind, parser.parseFrom(bytes).toByteArray(), maxParsed, stop));
    }

    private static <Q> Q sound(@Nullable Q query) throws InvalidProtocolBufferException {
        if (query == null) {
            throw new InvalidProtocolBufferException("the request is malformed");
        }
        return query;
    }

    /**
     * A request of EvaluateStream that is rejected with {@code refusal} before it is read. Only its tag is read.
     *
     * @throws InvalidProtocolBufferException if the bytes are not a message
     */
    public StreamQuery refuseStreamed(byte[] bytes, RequestException refusal) throws InvalidProtocolBufferException {
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        long tag = 0;
        while (wire.next()) {
            if (wire.tag() == TAG) {
                tag = wire.readVarint();
            } else {
                wire.skip();
            }
        }
        return new StreamQuery(NOTHING, tag, Duration.getDefaultInstance(), refusal);
    }

    /** Reads the bytes of one request field by field. */
    private final class Walk {
        private final PodQuery.Kind kind;
        private final WireCursor wire;
        private final StopSignal stop;

        /** The number of bytes that may still be parsed. */
        private int left;

        Walk(PodQuery.Kind kind, byte[] bytes, int maxParsed, StopSignal stop) {
            this.kind = kind;
            this.wire = new WireCursor(bytes, 0, bytes.length);
            this.left = maxParsed;
            this.stop = stop;
        }

        @Nullable
        StreamQuery streamed() throws InvalidProtocolBufferException {
            PodQuery query = null;
            Duration timeout = null;
            long tag = 0;
            while (wire.next()) {
                if (wire.tag() == STREAMED) {
                    if (query != null) {
                        return null;
                    }
                    int outer = wire.enter();
                    query = query();
                    if (query == null) {
                        return null;
                    }
                    wire.leave(outer);
                } else if (wire.tag() == TAG) {
                    tag = wire.readVarint();
                } else if (wire.tag() == TIMEOUT) {
                    timeout = message(DURATIONS, timeout);
                    if (timeout == null) {
                        return null;
                    }
                } else {
                    wire.skip();
                }
            }
            return new StreamQuery(
                    query == null ? NOTHING : query,
                    tag,
                    timeout == null ? Duration.getDefaultInstance() : timeout,
                    null);
        }

        @Nullable
        PodQuery query() throws InvalidProtocolBufferException {
            List<PodPlans.Requested> pods = new ArrayList<>();
            PodQuery.Options options = PodQuery.Options.NONE;
            Freshness freshness = null;
            String knownToken = null;
            OverlayReader overlay = null;
            String session = "";
            while (wire.next()) {
                int tag = wire.tag();
                if (tag == PODS) {
                    PodPlans.Requested pod = pod();
                    if (pod == null) {
                        return null;
                    }
                    pods.add(pod);
                } else if (tag == OPTIONS) {
                    if (options != PodQuery.Options.NONE) {
                        // The generated parser must merge it with the first one.
                        return null;
                    }
                    wire.readBytes();
                    if (wire.position() - wire.from() > left) {
                        return null;
                    }
                    PodQuery.Options known = last;
                    options = PodQuery.Options.read(wire.bytes(), wire.from(), wire.position(), known);
                    if (options != known && options.size() <= MAX_BYTES_KEPT) {
                        last = options;
                    }
                } else if (tag == FRESHNESS) {
                    freshness = message(DEMANDS, freshness);
                    if (freshness == null) {
                        return null;
                    }
                } else if (tag == KNOWN_TOKEN) {
                    knownToken = wire.readText();
                } else if (tag == OVERLAY) {
                    overlay = overlay == null ? new OverlayReader(maxOverlaid) : overlay;
                    if (!scan(overlay)) {
                        return null;
                    }
                } else if (tag == SESSION) {
                    session = wire.readText();
                } else {
                    wire.skip();
                }
            }
            return new PodQuery(
                    kind,
                    pods,
                    options,
                    freshness == null ? Freshness.getDefaultInstance() : freshness,
                    knownToken,
                    overlay == null ? null : overlay.finish(),
                    session,
                    UnsafeByteOperations.unsafeWrap(wire.bytes()));
        }

        private PodPlans.@Nullable Requested pod() throws InvalidProtocolBufferException {
            stop.check();
            int outer = wire.enter();
            int from = wire.position();
            PodPlans.Requested pod = plans.ask(wire, left);
            if (pod != null) {
                left -= pod.wasParsed() ? wire.position() - from : 0;
                wire.leave(outer);
            }
            return pod;
        }

        /** Reads an overlay, or another piece of one; returns false if it is too long. */
        private boolean scan(OverlayReader overlay) throws InvalidProtocolBufferException {
            int outer = wire.enter();
            int from = wire.position();
            overlay.scan(wire);
            left -= wire.position() - from;
            wire.leave(outer);
            return left >= 0;
        }

        /**
         * Parses the value. Returns null if it is too long, or if there was one before, because the generated parser
         * must merge the two.
         */
        private <M> @Nullable M message(Parser<M> parser, @Nullable M before) throws InvalidProtocolBufferException {
            wire.readBytes();
            int length = wire.position() - wire.from();
            if (before != null || length > left) {
                return null;
            }
            left -= length;
            return parser.parseFrom(wire.bytes(), wire.from(), length);
        }
    }
}
