package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ChangeSessionResponse;
import io.evenkeel.v1.CloseSessionRequest;
import io.evenkeel.v1.CloseSessionResponse;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EstimateNodesResponse;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
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
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OpenSessionResponse;
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
import io.evenkeel.v1.SyncAndEvaluateRequest;
import io.evenkeel.v1.SyncAndEvaluateResponse;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;

/**
 * A method of one of the protocol's services, independent of the transport.
 *
 * @param <Q> the request
 * @param <A> the answer
 */
@SuppressWarnings("UnusedTypeParameter") // They link request and response types.
public final class ProtocolMethod<Q extends MessageLite, A extends MessageLite> {
    /** The service that answers queries. */
    public static final String PLACEMENT = "evenkeel.v1.Placement";

    /** The service that keeps sessions. */
    public static final String SIMULATION = "evenkeel.v1.Simulation";

    /** The service that receives the cluster state. */
    public static final String CLUSTER_STATE = "evenkeel.v1.ClusterState";

    public static final ProtocolMethod<FilterRequest, FilterResponse> FILTER = of(PLACEMENT, "Filter");
    public static final ProtocolMethod<ScoreRequest, ScoreResponse> SCORE = of(PLACEMENT, "Score");
    public static final ProtocolMethod<EvaluateRequest, EvaluateResponse> EVALUATE = of(PLACEMENT, "Evaluate");
    public static final ProtocolMethod<EvaluateStreamRequest, EvaluateStreamResponse> EVALUATE_STREAM =
            of(PLACEMENT, "EvaluateStream");
    public static final ProtocolMethod<WhatIfRequest, WhatIfResponse> WHAT_IF = of(PLACEMENT, "WhatIf");
    public static final ProtocolMethod<ExplainRequest, ExplainResponse> EXPLAIN = of(PLACEMENT, "Explain");
    public static final ProtocolMethod<PreemptRequest, PreemptResponse> PREEMPT = of(PLACEMENT, "Preempt");
    public static final ProtocolMethod<WatchUnblockedRequest, WatchUnblockedResponse> WATCH_UNBLOCKED =
            of(PLACEMENT, "WatchUnblocked");
    public static final ProtocolMethod<ListSpreadRequest, ListSpreadResponse> LIST_SPREAD = of(PLACEMENT, "ListSpread");
    public static final ProtocolMethod<RankVictimsRequest, RankVictimsResponse> RANK_VICTIMS =
            of(PLACEMENT, "RankVictims");
    public static final ProtocolMethod<RegisterNodeSetRequest, RegisterNodeSetResponse> REGISTER_NODE_SET =
            of(PLACEMENT, "RegisterNodeSet");
    public static final ProtocolMethod<ForgetNodeSetRequest, ForgetNodeSetResponse> FORGET_NODE_SET =
            of(PLACEMENT, "ForgetNodeSet");
    public static final ProtocolMethod<OpenSessionRequest, OpenSessionResponse> OPEN_SESSION =
            of(SIMULATION, "OpenSession");
    public static final ProtocolMethod<ChangeSessionRequest, ChangeSessionResponse> CHANGE_SESSION =
            of(SIMULATION, "ChangeSession");
    public static final ProtocolMethod<CloseSessionRequest, CloseSessionResponse> CLOSE_SESSION =
            of(SIMULATION, "CloseSession");
    public static final ProtocolMethod<ScheduleRequest, ScheduleResponse> SCHEDULE = of(SIMULATION, "Schedule");
    public static final ProtocolMethod<ScheduleRequest, ScheduleResponse> SCHEDULE_AND_ASSUME =
            of(SIMULATION, "ScheduleAndAssume");
    public static final ProtocolMethod<EstimateNodesRequest, EstimateNodesResponse> ESTIMATE_NODES =
            of(SIMULATION, "EstimateNodes");
    public static final ProtocolMethod<PlaceGroupRequest, PlaceGroupResponse> PLACE_GROUP =
            of(SIMULATION, "PlaceGroup");
    public static final ProtocolMethod<SimulateRemovalRequest, SimulateRemovalResponse> SIMULATE_REMOVAL =
            of(SIMULATION, "SimulateRemoval");
    public static final ProtocolMethod<RebalanceRequest, RebalanceResponse> REBALANCE = of(SIMULATION, "Rebalance");
    public static final ProtocolMethod<SyncRequest, SyncResponse> SYNC = of(CLUSTER_STATE, "Sync");
    public static final ProtocolMethod<SyncAndEvaluateRequest, SyncAndEvaluateResponse> SYNC_AND_EVALUATE =
            of(CLUSTER_STATE, "SyncAndEvaluate");
    public static final ProtocolMethod<ApplyRequest, ApplyResponse> APPLY = of(CLUSTER_STATE, "Apply");
    public static final ProtocolMethod<AssumeRequest, AssumeResponse> ASSUME = of(CLUSTER_STATE, "Assume");
    public static final ProtocolMethod<ForgetRequest, ForgetResponse> FORGET = of(CLUSTER_STATE, "Forget");
    public static final ProtocolMethod<ListNodesRequest, ListNodesResponse> LIST_NODES = of(CLUSTER_STATE, "ListNodes");
    public static final ProtocolMethod<GetStatusRequest, GetStatusResponse> GET_STATUS = of(CLUSTER_STATE, "GetStatus");

    private final String fullName;

    private ProtocolMethod(String fullName) {
        this.fullName = fullName;
    }

    private static <Q extends MessageLite, A extends MessageLite> ProtocolMethod<Q, A> of(String service, String name) {
        return new ProtocolMethod<>(service + "/" + name);
    }

    /** The gRPC name: {@code evenkeel.v1.Placement/Filter}. */
    public String fullName() {
        return fullName;
    }

    @Override
    public String toString() {
        return fullName;
    }
}
