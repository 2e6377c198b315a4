package io.evenkeel.placement;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.placement.answer.BatchQuery;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.answer.ReusePool;
import io.evenkeel.placement.answer.WhatIfQuery;
import io.evenkeel.placement.answer.WireOutput;
import io.evenkeel.placement.call.CallRunner;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.KeptRequest;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.ReadRequest;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.explain.ExplainQuery;
import io.evenkeel.placement.query.CaseQuery;
import io.evenkeel.placement.query.CaseReader;
import io.evenkeel.placement.query.NodeSets;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.placement.query.QueryReader;
import io.evenkeel.placement.query.RequestReader;
import io.evenkeel.placement.query.StreamQuery;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ForgetNodeSetRequest;
import io.evenkeel.v1.ForgetNodeSetResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.RegisterNodeSetResponse;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers the calls of the {@code Placement} service, which decide on the placement of pods. {@code prepare} reads and
 * validates a request. Its result answers the request, and predicts whether that is quick, for callers whose threads
 * must not block. {@link #runner} does all of this after waiting for a revision.
 *
 * <p>All throw {@link RequestException} if the whole request is rejected. Thread-safe.
 */
public final class PlacementHandler {
    private final EngineAccess access;
    private final NodeSets nodeSets;
    private final PodPlans plans;
    private final QueryReader queries;
    private final CaseReader cases;
    private final BatchQuery.Services services;
    private final CallRunner runner;
    private final LongAdder podsJudged = new LongAdder();

    /** @param timer expires requests of streams */
    PlacementHandler(
            EngineAccess access,
            NodeSets nodeSets,
            RequestReader reader,
            PodPlans plans,
            Limits limits,
            ScheduledExecutorService timer) {
        this.access = access;
        this.nodeSets = nodeSets;
        this.plans = plans;
        this.queries = new QueryReader(plans, limits.pod().entries());
        this.cases = new CaseReader(plans, limits);
        this.runner = new CallRunner(access.gate(), access.recent(), timer);
        this.services = new BatchQuery.Services(
                access,
                reader,
                plans,
                new ReusePool<>(Answer::new),
                new ReusePool<>(WireOutput::new),
                podsJudged,
                limits);
    }

    /**
     * Reads a FilterRequest, ScoreRequest or EvaluateRequest from its bytes. Cached pods are not parsed. The bytes must
     * not change before the request is answered.
     *
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    public PodQuery read(PodQuery.Kind kind, byte[] request) throws InvalidProtocolBufferException {
        return read(kind, request, () -> false);
    }

    /**
     * Like {@link #read(PodQuery.Kind, byte[])}, but can be cancelled.
     *
     * @param over true once the call is cancelled or its deadline has passed; called often, in this thread
     * @throws CancellationException soon after {@code over} returns true
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    public PodQuery read(PodQuery.Kind kind, byte[] request, BooleanSupplier over)
            throws InvalidProtocolBufferException {
        return queries.read(kind, request, over);
    }

    /**
     * Like {@link #read} if that takes well under a millisecond because most pods are cached; otherwise returns null.
     *
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    public @Nullable PodQuery readAtOnce(PodQuery.Kind kind, byte[] request) throws InvalidProtocolBufferException {
        return queries.readAtOnce(kind, request);
    }

    /** Like {@link #read(PodQuery.Kind, byte[], BooleanSupplier)}, for a request of EvaluateStream. */
    public StreamQuery readStreamed(byte[] request, BooleanSupplier over) throws InvalidProtocolBufferException {
        return queries.readStreamed(request, over);
    }

    /** Like {@link #readAtOnce}, for a request of EvaluateStream. */
    public @Nullable StreamQuery readStreamedAtOnce(byte[] request) throws InvalidProtocolBufferException {
        return queries.readStreamedAtOnce(request);
    }

    /**
     * A request of EvaluateStream that is rejected with {@code refusal}. Only its tag is read from the bytes.
     *
     * @throws InvalidProtocolBufferException if the bytes are not a message
     */
    public StreamQuery refuseStreamed(byte[] request, RequestException refusal) throws InvalidProtocolBufferException {
        return queries.refuseStreamed(request, refusal);
    }

    /** Prepares Filter, Score or Evaluate. The answer is the bytes of the response. */
    public Prepared<ResponseBytes> prepare(PodQuery query) {
        return new BatchQuery(services, query);
    }

    /** Prepares an evaluation of a stream. The answer is the bytes of an EvaluateStreamResponse. */
    public Prepared<ResponseBytes> prepare(StreamQuery streamed) {
        RequestException refusal = streamed.refusal();
        if (refusal != null) {
            throw refusal;
        }
        return new Tagged(prepare(streamed.query()), streamed.tag());
    }

    /** Prepares an evaluation of a stream. The answer is a message that {@code parser} parses. */
    public <R> Prepared<R> prepare(StreamQuery streamed, Parser<R> parser) {
        return new Parsed<>(prepare(streamed), parser);
    }

    /** Prepares Filter, Score or Evaluate. The answer is a message that {@code parser} parses. */
    public <R> Prepared<R> prepare(PodQuery query, Parser<R> parser) {
        return new Parsed<>(prepare(query), parser);
    }

    public Prepared<FilterResponse> prepare(FilterRequest request) {
        return prepare(encoded(PodQuery.Kind.FILTER, request), FilterResponse.parser());
    }

    public Prepared<ScoreResponse> prepare(ScoreRequest request) {
        return prepare(encoded(PodQuery.Kind.SCORE, request), ScoreResponse.parser());
    }

    public Prepared<EvaluateResponse> prepare(EvaluateRequest request) {
        return prepare(encoded(PodQuery.Kind.EVALUATE, request), EvaluateResponse.parser());
    }

    /** Encodes the request first because a cached pod is found faster by its bytes than by its fields. */
    private PodQuery encoded(PodQuery.Kind kind, MessageLite request) {
        try {
            return read(kind, request.toByteArray());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("the request cannot be encoded", e);
        }
    }

    /**
     * Reads a WhatIfRequest from its bytes.
     *
     * @param over true once the call is cancelled or its deadline has passed
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    public CaseQuery readCases(byte[] request, BooleanSupplier over) throws InvalidProtocolBufferException {
        return cases.read(request, over);
    }

    /** Prepares WhatIf. The answer is the bytes of a WhatIfResponse. */
    public Prepared<ResponseBytes> prepare(CaseQuery query) {
        return new WhatIfQuery(services, query);
    }

    public Prepared<WhatIfResponse> prepare(WhatIfRequest request) {
        try {
            return new Parsed<>(prepare(readCases(request.toByteArray(), () -> false)), WhatIfResponse.parser());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("the request cannot be encoded", e);
        }
    }

    public Prepared<ExplainResponse> prepare(ExplainRequest request) {
        return new ExplainQuery(services, request);
    }

    /** The request of Filter, Score or Evaluate, for {@link #runner}. */
    public ReadRequest<ResponseBytes> request(PodQuery query) {
        // The reader outlives a query that waits, so it must not reference the query.
        PodQuery.Kind kind = query.kind();
        return new Asked<>(
                query,
                query.freshness(),
                this::prepare,
                PodQuery::source,
                (bytes, over) -> prepare(read(kind, bytes, over)));
    }

    /** The request of a stream, for {@link #runner}. */
    public ReadRequest<ResponseBytes> request(StreamQuery query) {
        return new Asked<>(
                query,
                query.query().freshness(),
                this::prepare,
                streamed -> streamed.query().source(),
                (bytes, over) -> prepare(readStreamed(bytes, over)));
    }

    /** The request of WhatIf, for {@link #runner}. */
    public ReadRequest<ResponseBytes> request(CaseQuery query) {
        return new Asked<>(
                query,
                query.freshness(),
                this::prepare,
                CaseQuery::source,
                (bytes, over) -> prepare(readCases(bytes, over)));
    }

    /** The request of an explanation, for {@link #runner}. */
    public ReadRequest<ExplainResponse> request(ExplainRequest request) {
        return new Asked<>(
                request,
                request.getFreshness(),
                this::prepare,
                ExplainRequest::toByteString,
                (bytes, over) -> prepare(ExplainRequest.parseFrom(bytes)));
    }

    /** The response of {@code EvaluateStream} to a request that is rejected as a whole. */
    public static EvaluateStreamResponse refusal(long tag, RequestException error) {
        return EvaluateStreamResponse.newBuilder()
                .setTag(tag)
                .setError(ItemErrors.of(error))
                .build();
    }

    /** The same response in bytes. */
    public static ResponseBytes refusalBytes(long tag, RequestException error) {
        return ResponseBytes.of(refusal(tag, error));
    }

    public RegisterNodeSetResponse registerNodeSet(RegisterNodeSetRequest request) {
        services.reader().checkNames(request.getNamesList(), "names");
        checkLengths(request.getNamesList());
        RegisterNodeSetResponse.Builder response =
                RegisterNodeSetResponse.newBuilder().setNodeSetId(nodeSets.register(request.getNamesList(), "names"));
        NodeNameTable names = access.engine().nodeNames();
        Set<String> known = new HashSet<>();
        for (int index = 0; index < names.limit(); index++) {
            String name = names.name(index);
            if (name != null) {
                known.add(name);
            }
        }
        request.getNamesList().stream()
                .distinct()
                .filter(name -> !known.contains(name))
                .forEach(response::addUnknownNames);
        return response.build();
    }

    /** Rejects names that no node can have, because sets are stored. */
    private static void checkLengths(List<String> names) {
        for (int i = 0; i < names.size(); i++) {
            String wrong = NodeNames.wrong(names.get(i));
            if (wrong != null) {
                throw RequestException.invalid("names[" + i + "]", wrong);
            }
        }
    }

    public ForgetNodeSetResponse forgetNodeSet(ForgetNodeSetRequest request) {
        nodeSets.forget(request.getNodeSetId());
        return ForgetNodeSetResponse.getDefaultInstance();
    }

    /** The runner, which runs calls once the state has reached the revision that they demand. */
    public CallRunner runner() {
        return runner;
    }

    /** The number of pods evaluated so far. */
    public long podsJudged() {
        return podsJudged.sum();
    }

    /** The number of plans compiled so far because a request needed one that was not cached. */
    public long planMisses() {
        return plans.misses();
    }

    /** The number of pods parsed so far because no equivalent pod was cached. */
    public long podsParsed() {
        return plans.parsed();
    }

    /**
     * A parsed request.
     *
     * @param reader parses its bytes again
     */
    private record Asked<Q, A>(
            Q query,
            Freshness freshness,
            Function<Q, Prepared<A>> check,
            Function<Q, ByteString> source,
            KeptRequest.Reader<A> reader)
            implements ReadRequest<A> {
        @Override
        public Prepared<A> prepare() {
            return check.apply(query);
        }

        @Override
        public KeptRequest<A> kept() {
            return new KeptRequest<>(source.apply(query), reader);
        }
    }

    /** An answer to be sent on a stream. */
    private record Tagged(Prepared<ResponseBytes> response, long tag) implements Prepared<ResponseBytes> {
        @Override
        public boolean isShort() {
            return response.isShort();
        }

        @Override
        public ResponseBytes answer(BooleanSupplier over) {
            return response.answer(over).intoStreamResponse(tag);
        }
    }

    /** An answer as a parsed message, for callers in the same JVM. */
    private record Parsed<R>(Prepared<ResponseBytes> bytes, Parser<R> parser) implements Prepared<R> {
        @Override
        public boolean isShort() {
            return bytes.isShort();
        }

        @Override
        public R answer(BooleanSupplier over) {
            return bytes.answer(over).parse(parser);
        }
    }
}
