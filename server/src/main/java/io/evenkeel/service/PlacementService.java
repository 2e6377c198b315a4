package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ForgetNodeSetRequest;
import io.evenkeel.v1.ForgetNodeSetResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.RegisterNodeSetResponse;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import io.grpc.stub.StreamObserver;

/** {@code evenkeel.v1.Placement}. */
final class PlacementService extends PlacementGrpc.PlacementImplBase {
    private final PlacementHandler handler;
    private final UnaryCalls calls;
    private final Workers workers;

    PlacementService(PlacementHandler handler, Workers workers) {
        this.handler = handler;
        this.workers = workers;
        this.calls = new UnaryCalls(handler, workers);
    }

    @Override
    public void filter(FilterRequest request, StreamObserver<FilterResponse> answers) {
        calls.query(request.getOptions().getAtLeast(), () -> handler.prepare(request), answers);
    }

    @Override
    public void score(ScoreRequest request, StreamObserver<ScoreResponse> answers) {
        calls.query(request.getOptions().getAtLeast(), () -> handler.prepare(request), answers);
    }

    @Override
    public void evaluate(EvaluateRequest request, StreamObserver<EvaluateResponse> answers) {
        calls.query(request.getOptions().getAtLeast(), () -> handler.prepare(request), answers);
    }

    @Override
    public StreamObserver<EvaluateRequest> evaluateStream(StreamObserver<EvaluateResponse> answers) {
        return OrderedStream.open(answers, new EvaluateTurns(handler, workers));
    }

    @Override
    public void whatIf(WhatIfRequest request, StreamObserver<WhatIfResponse> answers) {
        calls.query(request.getAtLeast(), () -> handler.prepare(request), answers);
    }

    @Override
    public void explain(ExplainRequest request, StreamObserver<ExplainResponse> answers) {
        calls.query(request.getAtLeast(), () -> handler.prepare(request), answers);
    }

    @Override
    public void registerNodeSet(RegisterNodeSetRequest request, StreamObserver<RegisterNodeSetResponse> answers) {
        calls.work(() -> handler.registerNodeSet(request), answers);
    }

    @Override
    public void forgetNodeSet(ForgetNodeSetRequest request, StreamObserver<ForgetNodeSetResponse> answers) {
        calls.now(() -> handler.forgetNodeSet(request), answers);
    }
}
