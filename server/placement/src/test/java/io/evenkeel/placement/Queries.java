package io.evenkeel.placement;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.placement.answer.EvaluateHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.query.CaseQuery;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.placement.query.StreamQuery;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Reads and answers queries in the thread of a test, from the current state. */
public final class Queries {
    private final PlacementHandler placement;

    private Queries(PlacementHandler placement) {
        this.placement = placement;
    }

    public static Queries of(PlacementHandler placement) {
        return new Queries(placement);
    }

    /** A query that can be answered. */
    public record Ready<R, A>(Prepared<R> prepared, Function<R, A> result) implements Prepared<A> {
        @Override
        public boolean isShort() {
            return prepared.isShort();
        }

        @Override
        public A answer(StopSignal stop) {
            return result.apply(prepared.answer(stop));
        }

        /** Answers as a call does, and throws what fails it. */
        public A answer() {
            FutureCall<A> call = new FutureCall<>(Duration.ZERO);
            call.attempt(() -> call.answer(answer(StopSignal.NEVER)));
            try {
                return call.join();
            } catch (CompletionException e) {
                if (e.getCause() instanceof RuntimeException failure) {
                    throw failure;
                }
                throw e;
            }
        }
    }

    private EvaluateHandler handler(PodQuery.Kind kind) {
        return switch (kind) {
            case FILTER -> placement.filter();
            case SCORE -> placement.score();
            case EVALUATE -> placement.evaluate();
        };
    }

    public PodQuery read(PodQuery.Kind kind, byte[] request) throws InvalidProtocolBufferException {
        return read(kind, request, StopSignal.NEVER);
    }

    public PodQuery read(PodQuery.Kind kind, byte[] request, StopSignal stop) throws InvalidProtocolBufferException {
        return handler(kind).read(request, stop);
    }

    public Ready<ResponseBytes, ResponseBytes> prepare(PodQuery query) {
        return new Ready<>(handler(query.kind()).prepare(query), Function.identity());
    }

    public Ready<ResponseBytes, ResponseBytes> prepare(StreamQuery query) {
        return new Ready<>(placement.evaluateStream().prepare(query), Function.identity());
    }

    public Ready<ResponseBytes, ResponseBytes> prepare(CaseQuery query) {
        return new Ready<>(placement.whatIf().prepare(query), Function.identity());
    }

    private <A> Ready<ResponseBytes, A> prepare(PodQuery.Kind kind, MessageLite request, Parser<A> parser) {
        try {
            return new Ready<>(
                    handler(kind).prepare(read(kind, request.toByteArray())), answer -> answer.parse(parser));
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    public Ready<ResponseBytes, FilterResponse> prepare(FilterRequest request) {
        return prepare(PodQuery.Kind.FILTER, request, FilterResponse.parser());
    }

    public Ready<ResponseBytes, ScoreResponse> prepare(ScoreRequest request) {
        return prepare(PodQuery.Kind.SCORE, request, ScoreResponse.parser());
    }

    public Ready<ResponseBytes, EvaluateResponse> prepare(EvaluateRequest request) {
        return prepare(PodQuery.Kind.EVALUATE, request, EvaluateResponse.parser());
    }

    public Ready<ResponseBytes, WhatIfResponse> prepare(WhatIfRequest request) {
        try {
            CaseQuery query = placement.whatIf().read(request.toByteArray(), StopSignal.NEVER);
            return new Ready<>(placement.whatIf().prepare(query), answer -> answer.parse(WhatIfResponse.parser()));
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    public Ready<ExplainResponse, ExplainResponse> prepare(ExplainRequest request) {
        return new Ready<>(placement.explain().prepare(placement.explain().query(request)), Function.identity());
    }
}
