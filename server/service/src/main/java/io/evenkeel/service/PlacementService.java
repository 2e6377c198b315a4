package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.Request;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.query.StreamQuery;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC service {@code evenkeel.v1.Placement}. The handlers of queries read bytes; the other methods use the
 * generated classes.
 */
final class PlacementService implements BindableService {
    private final PlacementHandler handler;
    private final WorkerPools pools;

    PlacementService(PlacementHandler handler, WorkerPools pools) {
        this.handler = handler;
        this.pools = pools;
    }

    @Override
    public ServerServiceDefinition bindService() {
        List<ServerMethodDefinition<?, ?>> methods = List.of(
                unary(PlacementGrpc.getFilterMethod(), handler.filter()),
                unary(PlacementGrpc.getScoreMethod(), handler.score()),
                unary(PlacementGrpc.getEvaluateMethod(), handler.evaluate()),
                unary(PlacementGrpc.getWhatIfMethod(), handler.whatIf()),
                ServerMethodDefinition.create(
                        RequestParsing.method(
                                PlacementGrpc.getEvaluateStreamMethod(),
                                handler.evaluateStream(),
                                ResponseMarshaller.INSTANCE),
                        ServerCalls.asyncBidiStreamingCall(this::evaluations)),
                UnaryCall.query(PlacementGrpc.getPreemptMethod(), handler.preempt(), pools.queries()),
                ServerMethodDefinition.create(
                        PlacementGrpc.getWatchUnblockedMethod(),
                        ServerCalls.asyncBidiStreamingCall(
                                responses -> WatchStream.open(handler.watchUnblocked(), responses, pools.queries()))),
                UnaryCall.query(PlacementGrpc.getExplainMethod(), handler.explain(), pools.explanations()),
                UnaryCall.query(PlacementGrpc.getListSpreadMethod(), handler.listSpread(), pools.explanations()),
                UnaryCall.query(PlacementGrpc.getRankVictimsMethod(), handler.rankVictims(), pools.explanations()),
                UnaryCall.method(
                        PlacementGrpc.getRegisterNodeSetMethod(),
                        pools.status(),
                        set -> false,
                        handler::registerNodeSet),
                UnaryCall.method(
                        PlacementGrpc.getForgetNodeSetMethod(), pools.status(), set -> true, handler::forgetNodeSet));
        return RequestParsing.service(PlacementGrpc.getServiceDescriptor(), methods);
    }

    private <Q extends Request> ServerMethodDefinition<Q, ResponseBytes> unary(
            MethodDescriptor<?, ?> method, Handler<Q, ResponseBytes> query) {
        return ServerMethodDefinition.create(
                RequestParsing.method(method, query, ResponseMarshaller.INSTANCE),
                UnaryCall.to(query, pools.queries()));
    }

    private StreamObserver<StreamQuery> evaluations(StreamObserver<ResponseBytes> answers) {
        IntFunction<@Nullable RequestException> refusal = OpenCall.refusalOfAnswers();
        return OrderedStream.open(
                answers,
                pools.queries(),
                (message, call) -> handler.evaluateStream().handle(message, call, refusal));
    }
}
