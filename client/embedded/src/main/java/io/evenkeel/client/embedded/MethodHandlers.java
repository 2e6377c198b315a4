package io.evenkeel.client.embedded;

import com.google.protobuf.Parser;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.WhatIfRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Finds the handler for each unary method of the protocol. */
final class MethodHandlers {
    /**
     * The handler of one method.
     *
     * @param demanded how new the state must be for a request
     * @param prepare reads and checks a request
     */
    record UnaryCall<Q, A>(Function<Q, Freshness> demanded, Function<Q, Prepared<A>> prepare) {}

    /**
     * The handler of a method whose requests may be encoded already.
     *
     * @param kind the call
     */
    record EncodedCall<A>(PodQuery.Kind kind, UnaryCall<PodQuery, A> call) {}

    private final Map<String, UnaryCall<?, ?>> calls = new HashMap<>();
    private final Map<String, EncodedCall<?>> encoded = new HashMap<>();
    private final UnaryCall<EvaluateStreamRequest, EvaluateStreamResponse> evaluateStream;

    MethodHandlers(Instance instance) {
        PlacementHandler placement = instance.placement();
        encoded(placement, ProtocolMethod.FILTER, PodQuery.Kind.FILTER, FilterResponse.parser());
        encoded(placement, ProtocolMethod.SCORE, PodQuery.Kind.SCORE, ScoreResponse.parser());
        encoded(placement, ProtocolMethod.EVALUATE, PodQuery.Kind.EVALUATE, EvaluateResponse.parser());
        query(ProtocolMethod.FILTER, FilterRequest::getFreshness, placement::prepare);
        query(ProtocolMethod.SCORE, ScoreRequest::getFreshness, placement::prepare);
        query(ProtocolMethod.EVALUATE, EvaluateRequest::getFreshness, placement::prepare);
        query(ProtocolMethod.WHAT_IF, WhatIfRequest::getFreshness, placement::prepare);
        query(ProtocolMethod.EXPLAIN, ExplainRequest::getFreshness, placement::prepare);
        evaluateStream = new UnaryCall<>(message -> message.getRequest().getFreshness(), placement::prepare);
        atOnce(ProtocolMethod.REGISTER_NODE_SET, placement::registerNodeSet);
        atOnce(ProtocolMethod.FORGET_NODE_SET, placement::forgetNodeSet);
        ClusterStateHandler state = instance.clusterState();
        atOnce(ProtocolMethod.APPLY, state::apply);
        atOnce(ProtocolMethod.ASSUME, state::assume);
        atOnce(ProtocolMethod.FORGET, state::forget);
        atOnce(ProtocolMethod.LIST_NODES, state::listNodes);
        atOnce(ProtocolMethod.GET_STATUS, state::getStatus);
    }

    private <A> void encoded(
            PlacementHandler placement, ProtocolMethod<?, A> method, PodQuery.Kind kind, Parser<A> parser) {
        encoded.put(
                method.fullName(),
                new EncodedCall<>(
                        kind, new UnaryCall<>(PodQuery::freshness, query -> placement.prepare(query, parser))));
    }

    private <Q, A> void query(
            ProtocolMethod<Q, A> method, Function<Q, Freshness> demanded, Function<Q, Prepared<A>> prepare) {
        calls.put(method.fullName(), new UnaryCall<>(demanded, prepare));
    }

    /** Adds a method that is always answered in the caller's thread. */
    private <Q, A> void atOnce(ProtocolMethod<Q, A> method, Function<Q, A> answer) {
        query(
                method,
                request -> Freshness.getDefaultInstance(),
                request -> Prepared.of(true, () -> answer.apply(request)));
    }

    /** The handler of one message of EvaluateStream. */
    UnaryCall<EvaluateStreamRequest, EvaluateStreamResponse> evaluateStream() {
        return evaluateStream;
    }

    @SuppressWarnings("unchecked") // The table is filled by methods that tie the types together.
    <Q, A> UnaryCall<Q, A> of(ProtocolMethod<Q, A> method) {
        UnaryCall<?, ?> call = calls.get(method.fullName());
        if (call == null) {
            throw new IllegalArgumentException("method must be a unary one of evenkeel.v1, was " + method.fullName());
        }
        return (UnaryCall<Q, A>) call;
    }

    @SuppressWarnings("unchecked") // As above.
    <A> EncodedCall<A> encoded(ProtocolMethod<?, A> method) {
        EncodedCall<?> call = encoded.get(method.fullName());
        if (call == null) {
            throw new IllegalArgumentException("method must be Filter, Score or Evaluate, was " + method.fullName());
        }
        return (EncodedCall<A>) call;
    }
}
