package io.evenkeel.client.embedded;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.evenkeel.client.Payload;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.SimulationHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.Request;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.WhatIfResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Finds the handler for each unary method of the protocol. */
final class UnaryMethods {
    /**
     * A unary method.
     *
     * @param handle starts to answer a request
     * @param result reads the message in the handler's answer
     */
    record UnaryMethod<Q extends MessageLite, R, A>(BiConsumer<Payload<Q>, Call<R>> handle, Function<R, A> result) {}

    private final Map<String, UnaryMethod<?, ?, ?>> methods = new HashMap<>();

    UnaryMethods(Instance instance) {
        PlacementHandler placement = instance.placement();
        query(ProtocolMethod.FILTER, placement.filter(), FilterResponse.parser());
        query(ProtocolMethod.SCORE, placement.score(), ScoreResponse.parser());
        query(ProtocolMethod.EVALUATE, placement.evaluate(), EvaluateResponse.parser());
        query(ProtocolMethod.WHAT_IF, placement.whatIf(), WhatIfResponse.parser());
        add(ProtocolMethod.PREEMPT, placement.preempt()::handleMessage);
        add(ProtocolMethod.EXPLAIN, placement.explain()::handleMessage);
        add(ProtocolMethod.LIST_SPREAD, placement.listSpread()::handleMessage);
        add(ProtocolMethod.RANK_VICTIMS, placement.rankVictims()::handleMessage);
        atOnce(ProtocolMethod.REGISTER_NODE_SET, placement::registerNodeSet);
        atOnce(ProtocolMethod.FORGET_NODE_SET, placement::forgetNodeSet);
        SimulationHandler simulation = instance.simulation();
        add(ProtocolMethod.OPEN_SESSION, simulation::open);
        add(ProtocolMethod.CHANGE_SESSION, simulation::change);
        add(ProtocolMethod.CLOSE_SESSION, simulation::close);
        add(ProtocolMethod.SCHEDULE, simulation::schedule);
        add(ProtocolMethod.SCHEDULE_AND_ASSUME, simulation::scheduleAndAssume);
        add(ProtocolMethod.ESTIMATE_NODES, placement.estimateNodes()::handleMessage);
        add(ProtocolMethod.PLACE_GROUP, placement.placeGroup()::handleMessage);
        add(ProtocolMethod.SIMULATE_REMOVAL, placement.simulateRemoval()::handleMessage);
        add(ProtocolMethod.REBALANCE, placement.rebalance()::handleMessage);
        ClusterStateHandler state = instance.clusterState();
        atOnce(ProtocolMethod.APPLY, state::apply);
        atOnce(ProtocolMethod.ASSUME, state::assume);
        atOnce(ProtocolMethod.FORGET, state::forget);
        atOnce(ProtocolMethod.LIST_NODES, state::listNodes);
        atOnce(ProtocolMethod.GET_STATUS, state::getStatus);
    }

    /** Adds a method whose requests are encoded first, because a cached pod is found faster by its bytes. */
    private <P extends Request, Q extends MessageLite, A extends MessageLite> void query(
            ProtocolMethod<Q, A> method, Handler<P, ResponseBytes> handler, Parser<A> parser) {
        methods.put(
                method.fullName(),
                new UnaryMethod<Q, ResponseBytes, A>(
                        (request, call) ->
                                call.attempt(() -> handler.handle(handler.parse(request.bytes(), call), call)),
                        answer -> answer.parse(parser)));
    }

    /** Adds a method that always runs in the caller's thread. */
    private <Q extends MessageLite, A extends MessageLite> void atOnce(
            ProtocolMethod<Q, A> method, Function<Q, A> answer) {
        add(method, (request, call) -> call.answerWith(true, () -> answer.apply(request)));
    }

    private <Q extends MessageLite, A extends MessageLite> void add(
            ProtocolMethod<Q, A> method, BiConsumer<Q, Call<A>> handle) {
        methods.put(
                method.fullName(),
                new UnaryMethod<Q, A, A>(
                        (request, call) -> {
                            Q message = request.message();
                            if (message == null) {
                                throw new IllegalArgumentException(
                                        "requests of " + method.fullName() + " must be messages");
                            }
                            handle.accept(message, call);
                        },
                        Function.identity()));
    }

    @SuppressWarnings("unchecked") // The methods that fill the table link the types.
    <Q extends MessageLite, A extends MessageLite> UnaryMethod<Q, ?, A> of(ProtocolMethod<Q, A> method) {
        UnaryMethod<?, ?, ?> found = methods.get(method.fullName());
        if (found == null) {
            throw new IllegalArgumentException("method must be a unary one of evenkeel.v1, was " + method.fullName());
        }
        return (UnaryMethod<Q, ?, A>) found;
    }
}
