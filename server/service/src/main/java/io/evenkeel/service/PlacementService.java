package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.CallRunner;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.ReadRequest;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.ForgetNodeSetRequest;
import io.evenkeel.v1.ForgetNodeSetResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.RegisterNodeSetResponse;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;

/**
 * The gRPC service {@code evenkeel.v1.Placement}. Filter, Score and Evaluate are frequent and WhatIf requests are
 * large, so they read and write bytes; the other methods use the generated classes.
 */
final class PlacementService implements BindableService, PlacementGrpc.AsyncService {
    private final PlacementHandler handler;
    private final WorkerPools pools;

    PlacementService(PlacementHandler handler, WorkerPools pools) {
        this.handler = handler;
        this.pools = pools;
    }

    @Override
    public ServerServiceDefinition bindService() {
        List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
        methods.add(unary(PlacementGrpc.getFilterMethod(), PodQuery.Kind.FILTER));
        methods.add(unary(PlacementGrpc.getScoreMethod(), PodQuery.Kind.SCORE));
        methods.add(unary(PlacementGrpc.getEvaluateMethod(), PodQuery.Kind.EVALUATE));
        methods.add(reading(
                PlacementGrpc.getWhatIfMethod(),
                new BytesMarshaller<>(handler::readCases),
                ServerCalls.asyncUnaryCall((query, answers) -> run(handler.request(query), answers))));
        methods.add(reading(
                PlacementGrpc.getEvaluateStreamMethod(),
                new BytesMarshaller<>(handler::readStreamed, handler::readStreamedAtOnce, handler::refuseStreamed),
                ServerCalls.asyncBidiStreamingCall(
                        answers -> OrderedStream.open(answers, new EvaluateStreamCall(handler, pools)))));
        return BoundMethods.service(methods, PlacementGrpc.bindService(this));
    }

    private ServerMethodDefinition<PodQuery, ResponseBytes> unary(MethodDescriptor<?, ?> method, PodQuery.Kind kind) {
        return reading(
                method,
                new BytesMarshaller<>(
                        (bytes, over) -> handler.read(kind, bytes, over), bytes -> handler.readAtOnce(kind, bytes)),
                ServerCalls.asyncUnaryCall((query, answers) -> run(handler.request(query), answers)));
    }

    private static <Q> ServerMethodDefinition<Q, ResponseBytes> reading(
            MethodDescriptor<?, ?> method, BytesMarshaller<Q> requests, ServerCallHandler<Q, ResponseBytes> answers) {
        return ServerMethodDefinition.create(
                method.toBuilder(requests, ResponseMarshaller.INSTANCE).build(), answers);
    }

    @Override
    public void explain(ExplainRequest request, StreamObserver<ExplainResponse> answers) {
        handler.runner()
                .run(
                        pools.explanations(),
                        pools::explaining,
                        CallDeadline::patience,
                        handler.request(request),
                        new UnaryRecipient<>(answers));
    }

    private void run(ReadRequest<ResponseBytes> request, StreamObserver<ResponseBytes> answers) {
        handler.runner()
                .run(pools.queries(), pools::answering, CallDeadline::patience, request, new UnaryRecipient<>(answers));
    }

    @Override
    public void registerNodeSet(RegisterNodeSetRequest request, StreamObserver<RegisterNodeSetResponse> answers) {
        CallRunner.run(
                pools.status(),
                () -> Prepared.of(false, () -> handler.registerNodeSet(request)),
                new UnaryRecipient<>(answers));
    }

    @Override
    public void forgetNodeSet(ForgetNodeSetRequest request, StreamObserver<ForgetNodeSetResponse> answers) {
        CallRunner.run(
                pools.status(),
                () -> Prepared.of(true, () -> handler.forgetNodeSet(request)),
                new UnaryRecipient<>(answers));
    }
}
