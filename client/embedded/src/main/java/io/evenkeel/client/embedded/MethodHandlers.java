package io.evenkeel.client.embedded;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.placement.query.StreamQuery;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
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
import java.util.Objects;
import java.util.function.Function;

/** Finds the handler for each unary method of the protocol. */
final class MethodHandlers {
    /**
     * The handler of one method.
     *
     * @param demanded how fresh the state must be for a request
     * @param prepare reads and validates a request
     */
    record UnaryCall<Q, A>(Function<Q, Freshness> demanded, Function<Q, Prepared<A>> prepare) {}

    /**
     * The handler of a method that accepts encoded requests.
     *
     * @param read parses a request
     */
    record EncodedCall<A>(Function<byte[], PodQuery> read, UnaryCall<PodQuery, A> call) {}

    /** Parses requests. */
    private interface Reader<Q> {
        Q read(byte[] request) throws InvalidProtocolBufferException;
    }

    private final PlacementHandler placement;
    private final Map<String, UnaryCall<?, ?>> calls = new HashMap<>();
    private final Map<String, EncodedCall<?>> encoded = new HashMap<>();
    private final UnaryCall<StreamQuery, EvaluateStreamResponse> evaluateStream;

    MethodHandlers(Instance instance) {
        placement = instance.placement();
        encoded(ProtocolMethod.FILTER, PodQuery.Kind.FILTER, FilterResponse.parser());
        encoded(ProtocolMethod.SCORE, PodQuery.Kind.SCORE, ScoreResponse.parser());
        encoded(ProtocolMethod.EVALUATE, PodQuery.Kind.EVALUATE, EvaluateResponse.parser());
        query(ProtocolMethod.FILTER, FilterRequest::getFreshness, placement::prepare);
        query(ProtocolMethod.SCORE, ScoreRequest::getFreshness, placement::prepare);
        query(ProtocolMethod.EVALUATE, EvaluateRequest::getFreshness, placement::prepare);
        query(ProtocolMethod.WHAT_IF, WhatIfRequest::getFreshness, placement::prepare);
        query(ProtocolMethod.EXPLAIN, ExplainRequest::getFreshness, placement::prepare);
        evaluateStream = new UnaryCall<>(
                message -> message.query().freshness(),
                message -> placement.prepare(message, EvaluateStreamResponse.parser()));
        atOnce(ProtocolMethod.REGISTER_NODE_SET, placement::registerNodeSet);
        atOnce(ProtocolMethod.FORGET_NODE_SET, placement::forgetNodeSet);
        ClusterStateHandler state = instance.clusterState();
        atOnce(ProtocolMethod.APPLY, state::apply);
        atOnce(ProtocolMethod.ASSUME, state::assume);
        atOnce(ProtocolMethod.FORGET, state::forget);
        atOnce(ProtocolMethod.LIST_NODES, state::listNodes);
        atOnce(ProtocolMethod.GET_STATUS, state::getStatus);
    }

    private <A extends MessageLite> void encoded(ProtocolMethod<?, A> method, PodQuery.Kind kind, Parser<A> parser) {
        encoded.put(
                method.fullName(),
                new EncodedCall<>(
                        request -> read(request, bytes -> placement.read(kind, bytes)),
                        new UnaryCall<>(PodQuery::freshness, query -> placement.prepare(query, parser))));
    }

    private <Q extends MessageLite, A extends MessageLite> void query(
            ProtocolMethod<Q, A> method, Function<Q, Freshness> demanded, Function<Q, Prepared<A>> prepare) {
        calls.put(method.fullName(), new UnaryCall<>(demanded, prepare));
    }

    /** Adds a method that always runs in the caller's thread. */
    private <Q extends MessageLite, A extends MessageLite> void atOnce(
            ProtocolMethod<Q, A> method, Function<Q, A> answer) {
        query(
                method,
                request -> Freshness.getDefaultInstance(),
                request -> Prepared.of(true, () -> answer.apply(request)));
    }

    /** The handler of one message of EvaluateStream. */
    UnaryCall<StreamQuery, EvaluateStreamResponse> evaluateStream() {
        return evaluateStream;
    }

    /** The query in a message of EvaluateStream. */
    StreamQuery readStreamed(byte[] message) {
        return read(message, bytes -> placement.readStreamed(bytes, () -> false));
    }

    static <Q> Q parsed(byte[] message, Parser<Q> parser) {
        return read(message, parser::parseFrom);
    }

    private static <Q> Q read(byte[] request, Reader<Q> reader) {
        try {
            return reader.read(request);
        } catch (InvalidProtocolBufferException malformed) {
            throw Failures.malformed(malformed);
        }
    }

    @SuppressWarnings("unchecked") // The methods that fill the table link the types.
    <Q extends MessageLite, A extends MessageLite> UnaryCall<Q, A> of(ProtocolMethod<Q, A> method) {
        UnaryCall<?, ?> call = calls.get(method.fullName());
        if (call == null) {
            throw new IllegalArgumentException("method must be a unary one of evenkeel.v1, was " + method.fullName());
        }
        return (UnaryCall<Q, A>) call;
    }

    @SuppressWarnings("unchecked") // See above.
    <A extends MessageLite> EncodedCall<A> encoded(ProtocolMethod<?, A> method) {
        return (EncodedCall<A>) Objects.requireNonNull(encoded.get(method.fullName()), method::fullName);
    }
}
