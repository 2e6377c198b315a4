package io.evenkeel.client.embedded;

import com.google.protobuf.Parser;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.Revision;
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
     * @param demanded the revision that a request waits for; an empty one waits for none
     * @param prepare reads and checks a request
     */
    record UnaryCall<Q, A>(Function<Q, Revision> demanded, Function<Q, Prepared<A>> prepare) {}

    /**
     * The handler of a method whose requests may be encoded already.
     *
     * @param kind the call
     */
    record EncodedCall<A>(PodQuery.Kind kind, UnaryCall<PodQuery, A> call) {}

    private final Map<String, UnaryCall<?, ?>> calls = new HashMap<>();
    private final Map<String, EncodedCall<?>> encoded = new HashMap<>();

    MethodHandlers(Instance instance) {
        PlacementHandler placement = instance.placement();
        encoded(placement, ProtocolMethod.FILTER, PodQuery.Kind.FILTER, FilterResponse.parser());
        encoded(placement, ProtocolMethod.SCORE, PodQuery.Kind.SCORE, ScoreResponse.parser());
        encoded(placement, ProtocolMethod.EVALUATE, PodQuery.Kind.EVALUATE, EvaluateResponse.parser());
        query(ProtocolMethod.FILTER, request -> request.getOptions().getAtLeast(), placement::prepare);
        query(ProtocolMethod.SCORE, request -> request.getOptions().getAtLeast(), placement::prepare);
        query(ProtocolMethod.EVALUATE, request -> request.getOptions().getAtLeast(), placement::prepare);
        query(ProtocolMethod.WHAT_IF, WhatIfRequest::getAtLeast, placement::prepare);
        query(ProtocolMethod.EXPLAIN, ExplainRequest::getAtLeast, placement::prepare);
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
                new EncodedCall<>(kind, new UnaryCall<>(PodQuery::atLeast, query -> placement.prepare(query, parser))));
    }

    private <Q, A> void query(
            ProtocolMethod<Q, A> method, Function<Q, Revision> demanded, Function<Q, Prepared<A>> prepare) {
        calls.put(method.fullName(), new UnaryCall<>(demanded, prepare));
    }

    /** Adds a method that is always answered in the caller's thread. */
    private <Q, A> void atOnce(ProtocolMethod<Q, A> method, Function<Q, A> answer) {
        query(
                method,
                request -> Revision.getDefaultInstance(),
                request -> Prepared.of(true, () -> answer.apply(request)));
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
