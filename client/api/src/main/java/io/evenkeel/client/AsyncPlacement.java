package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EstimateNodesResponse;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ForgetNodeSetRequest;
import io.evenkeel.v1.ForgetNodeSetResponse;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.ForgetResponse;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.ListSpreadResponse;
import io.evenkeel.v1.PlaceGroupRequest;
import io.evenkeel.v1.PlaceGroupResponse;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RankVictimsResponse;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.RegisterNodeSetResponse;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of {@link PlacementClient} as futures, which fail with {@link PlacementException}.
 *
 * <p>Cancelling a future cancels its call. The client's executor completes futures and runs their dependent stages.
 * These may block, unless that executor runs tasks in the submitting thread. Thread-safe.
 */
public interface AsyncPlacement {
    /** Makes any unary call of the protocol's services. */
    <Q extends MessageLite, A extends MessageLite> CompletableFuture<A> call(ProtocolMethod<Q, A> method, Q request);

    /**
     * Calls Filter, Score or Evaluate with encoded pods.
     *
     * @param method one of those three
     */
    <A extends MessageLite> CompletableFuture<A> call(ProtocolMethod<?, A> method, EncodedQuery query);

    /** See {@link PlacementClient#filter(FilterRequest)}. */
    default CompletableFuture<FilterResponse> filter(FilterRequest request) {
        return call(ProtocolMethod.FILTER, request);
    }

    /** Same as {@link #filter(FilterRequest)}, with encoded pods. */
    default CompletableFuture<FilterResponse> filter(EncodedQuery query) {
        return call(ProtocolMethod.FILTER, query);
    }

    /** See {@link PlacementClient#score(ScoreRequest)}. */
    default CompletableFuture<ScoreResponse> score(ScoreRequest request) {
        return call(ProtocolMethod.SCORE, request);
    }

    /** Same as {@link #score(ScoreRequest)}, with encoded pods. */
    default CompletableFuture<ScoreResponse> score(EncodedQuery query) {
        return call(ProtocolMethod.SCORE, query);
    }

    /** See {@link PlacementClient#evaluate(EvaluateRequest)}. */
    default CompletableFuture<EvaluateResponse> evaluate(EvaluateRequest request) {
        return call(ProtocolMethod.EVALUATE, request);
    }

    /** Same as {@link #evaluate(EvaluateRequest)}, with encoded pods. */
    default CompletableFuture<EvaluateResponse> evaluate(EncodedQuery query) {
        return call(ProtocolMethod.EVALUATE, query);
    }

    /** See {@link PlacementClient#whatIf}. */
    default CompletableFuture<WhatIfResponse> whatIf(WhatIfRequest request) {
        return call(ProtocolMethod.WHAT_IF, request);
    }

    /** See {@link PlacementClient#explain}. */
    default CompletableFuture<ExplainResponse> explain(ExplainRequest request) {
        return call(ProtocolMethod.EXPLAIN, request);
    }

    /** See {@link PlacementClient#preempt}. */
    default CompletableFuture<PreemptResponse> preempt(PreemptRequest request) {
        return call(ProtocolMethod.PREEMPT, request);
    }

    /** See {@link PlacementClient#listSpread}. */
    default CompletableFuture<ListSpreadResponse> listSpread(ListSpreadRequest request) {
        return call(ProtocolMethod.LIST_SPREAD, request);
    }

    /** See {@link PlacementClient#rankVictims}. */
    default CompletableFuture<RankVictimsResponse> rankVictims(RankVictimsRequest request) {
        return call(ProtocolMethod.RANK_VICTIMS, request);
    }

    /** See {@link PlacementClient#schedule}. */
    default CompletableFuture<ScheduleResponse> schedule(ScheduleRequest request) {
        return call(ProtocolMethod.SCHEDULE, request);
    }

    /** See {@link PlacementClient#scheduleAndAssume}. */
    default CompletableFuture<ScheduleResponse> scheduleAndAssume(ScheduleRequest request) {
        return call(ProtocolMethod.SCHEDULE_AND_ASSUME, request);
    }

    /** See {@link PlacementClient#estimateNodes}. */
    default CompletableFuture<EstimateNodesResponse> estimateNodes(EstimateNodesRequest request) {
        return call(ProtocolMethod.ESTIMATE_NODES, request);
    }

    /** See {@link PlacementClient#placeGroup}. */
    default CompletableFuture<PlaceGroupResponse> placeGroup(PlaceGroupRequest request) {
        return call(ProtocolMethod.PLACE_GROUP, request);
    }

    /** See {@link PlacementClient#simulateRemoval}. */
    default CompletableFuture<SimulateRemovalResponse> simulateRemoval(SimulateRemovalRequest request) {
        return call(ProtocolMethod.SIMULATE_REMOVAL, request);
    }

    /** See {@link PlacementClient#rebalance}. */
    default CompletableFuture<RebalanceResponse> rebalance(RebalanceRequest request) {
        return call(ProtocolMethod.REBALANCE, request);
    }

    /** See {@link PlacementClient#registerNodeSet}. */
    default CompletableFuture<RegisterNodeSetResponse> registerNodeSet(RegisterNodeSetRequest request) {
        return call(ProtocolMethod.REGISTER_NODE_SET, request);
    }

    /** See {@link PlacementClient#forgetNodeSet}. */
    default CompletableFuture<ForgetNodeSetResponse> forgetNodeSet(ForgetNodeSetRequest request) {
        return call(ProtocolMethod.FORGET_NODE_SET, request);
    }

    /** See {@link PlacementClient#apply}. */
    default CompletableFuture<ApplyResponse> apply(ApplyRequest request) {
        return call(ProtocolMethod.APPLY, request);
    }

    /** See {@link PlacementClient#assume}. */
    default CompletableFuture<AssumeResponse> assume(AssumeRequest request) {
        return call(ProtocolMethod.ASSUME, request);
    }

    /** See {@link PlacementClient#forget}. */
    default CompletableFuture<ForgetResponse> forget(ForgetRequest request) {
        return call(ProtocolMethod.FORGET, request);
    }

    /** See {@link PlacementClient#listNodes}. */
    default CompletableFuture<ListNodesResponse> listNodes(ListNodesRequest request) {
        return call(ProtocolMethod.LIST_NODES, request);
    }

    /** See {@link PlacementClient#status}. */
    default CompletableFuture<GetStatusResponse> status() {
        return call(ProtocolMethod.GET_STATUS, GetStatusRequest.getDefaultInstance());
    }
}
