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
import io.evenkeel.v1.OpenSessionRequest;
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
import java.time.Duration;

/**
 * The client: asks which nodes pods may go to and which are best, and feeds the cluster state.
 *
 * <p>Each method makes one call of the protocol and waits for its answer; {@link #async()} has the same calls with
 * futures. A failed call throws {@link PlacementException}. An error with one pod of a batch is in that pod's item of
 * the answer instead. Thread-safe.
 */
public interface PlacementClient extends PlacementQueries, AutoCloseable {
    /**
     * A client over the caller's transport. Closing the client closes the transport.
     *
     * @param deadline the deadline of each call; more than zero
     */
    static PlacementClient over(Transport transport, Duration deadline) {
        return new TransportClient(transport, deadline);
    }

    /** Makes any unary call of the protocol's services, and waits for the answer. */
    <Q extends MessageLite, A extends MessageLite> A call(ProtocolMethod<Q, A> method, Q request);

    /**
     * Calls Filter, Score or Evaluate with encoded pods, and waits for the answer.
     *
     * @param method one of those three
     */
    <A extends MessageLite> A call(ProtocolMethod<?, A> method, EncodedQuery query);

    /** The same calls with futures. */
    AsyncPlacement async();

    /**
     * Opens a stream of Evaluate requests. Many can be under way at the same time, and they are answered in order. This
     * is the cheapest way to ask often.
     */
    EvaluationStream evaluationStream();

    /** Opens a stream that watches pending pods, and names those for which a node has begun to pass. */
    PodWatch watchUnblocked();

    /** The node tables that packed answers refer to. All views of a client share them. */
    NodeTables nodeTables();

    /** Opens a session that feeds the cluster state: first a snapshot, then changes. */
    default ClusterFeed feed() {
        return feed(FeedOptions.UNNAMED);
    }

    /** Same as {@link #feed()}, with a feeder name or takeover. */
    ClusterFeed feed(FeedOptions options);

    /**
     * Opens a stream that feeds the cluster state and asks about pods, for a scheduler whose answers must include
     * exactly the changes that it has sent.
     */
    SchedulerStream schedulerStream(FeedOptions options);

    /**
     * The same client with another deadline for each call, counted from the call's start.
     *
     * <p>The returned view shares everything else with this client; closing the view does nothing.
     *
     * @param deadline more than zero
     */
    PlacementClient within(Duration deadline);

    /**
     * A view whose queries see its writes: each query is answered from a state at least as new as the last write
     * recorded in {@code writes}. Writes through this view are recorded there. Queries that already require a revision,
     * and those of sessions, are not changed. Closing the view does nothing.
     *
     * <p>After a server restart, queries fail with FAILED_PRECONDITION, because earlier writes are lost, including
     * assumed pods. Write them again through this view, or {@linkplain Revisions#clear() clear} the recorded revision.
     */
    PlacementClient readingOwnWrites(Revisions writes);

    /** Same as {@link #readingOwnWrites(Revisions)}, only for writes through the returned view. */
    default PlacementClient readingOwnWrites() {
        return readingOwnWrites(new Revisions());
    }

    /**
     * Ends streams and feeds, waits for open calls at most for the deadline, and releases all resources. Later calls
     * fail with UNAVAILABLE. Calls on a channel that the caller owns are not ended. Calls of an embedded client that
     * wait for a revision fail immediately, unless the caller owns the index.
     */
    @Override
    void close();

    @Override
    default FilterResponse filter(FilterRequest request) {
        return call(ProtocolMethod.FILTER, request);
    }

    @Override
    default FilterResponse filter(EncodedQuery query) {
        return call(ProtocolMethod.FILTER, query);
    }

    @Override
    default ScoreResponse score(ScoreRequest request) {
        return call(ProtocolMethod.SCORE, request);
    }

    @Override
    default ScoreResponse score(EncodedQuery query) {
        return call(ProtocolMethod.SCORE, query);
    }

    @Override
    default EvaluateResponse evaluate(EvaluateRequest request) {
        return call(ProtocolMethod.EVALUATE, request);
    }

    @Override
    default EvaluateResponse evaluate(EncodedQuery query) {
        return call(ProtocolMethod.EVALUATE, query);
    }

    @Override
    default WhatIfResponse whatIf(WhatIfRequest request) {
        return call(ProtocolMethod.WHAT_IF, request);
    }

    @Override
    default ExplainResponse explain(ExplainRequest request) {
        return call(ProtocolMethod.EXPLAIN, request);
    }

    @Override
    default PreemptResponse preempt(PreemptRequest request) {
        return call(ProtocolMethod.PREEMPT, request);
    }

    @Override
    default ListSpreadResponse listSpread(ListSpreadRequest request) {
        return call(ProtocolMethod.LIST_SPREAD, request);
    }

    @Override
    default RankVictimsResponse rankVictims(RankVictimsRequest request) {
        return call(ProtocolMethod.RANK_VICTIMS, request);
    }

    /** EstimateNodes: how many new nodes pending pods need, and which node each pod goes to. */
    default EstimateNodesResponse estimateNodes(EstimateNodesRequest request) {
        return call(ProtocolMethod.ESTIMATE_NODES, request);
    }

    /** PlaceGroup: a place for each pod of a group on existing nodes, or a proof that there is none. */
    default PlaceGroupResponse placeGroup(PlaceGroupRequest request) {
        return call(ProtocolMethod.PLACE_GROUP, request);
    }

    /** SimulateRemoval: whether nodes can be removed, and which nodes their pods would go to. */
    default SimulateRemovalResponse simulateRemoval(SimulateRemovalRequest request) {
        return call(ProtocolMethod.SIMULATE_REMOVAL, request);
    }

    /** Rebalance: the fewest moves of pods that bring the constraints of workloads within maxSkew. */
    default RebalanceResponse rebalance(RebalanceRequest request) {
        return call(ProtocolMethod.REBALANCE, request);
    }

    /** Opens a session that begins as the live cluster now; see {@link Session}. */
    default Session openSession() {
        return openSession(OpenSessionRequest.getDefaultInstance());
    }

    /** Opens a session that begins as a live cluster that is as fresh as demanded; see {@link Session}. */
    default Session openSession(OpenSessionRequest request) {
        return new Session(this, call(ProtocolMethod.OPEN_SESSION, request));
    }

    /** Schedule: places pods one after another in a session or in a copy of the live state. Not retried. */
    default ScheduleResponse schedule(ScheduleRequest request) {
        return call(ProtocolMethod.SCHEDULE, request);
    }

    /** ScheduleAndAssume: places pods one after another in the live state, as assumed pods. Not retried. */
    default ScheduleResponse scheduleAndAssume(ScheduleRequest request) {
        return call(ProtocolMethod.SCHEDULE_AND_ASSUME, request);
    }

    /** Registers a set of node names. Its id can be used as candidates. */
    default RegisterNodeSetResponse registerNodeSet(RegisterNodeSetRequest request) {
        return call(ProtocolMethod.REGISTER_NODE_SET, request);
    }

    /** Drops a registered set. An unknown id is not an error. */
    default ForgetNodeSetResponse forgetNodeSet(ForgetNodeSetRequest request) {
        return call(ProtocolMethod.FORGET_NODE_SET, request);
    }

    /** Applies a batch of watch events, in order. */
    default ApplyResponse apply(ApplyRequest request) {
        return call(ProtocolMethod.APPLY, request);
    }

    /** Counts pods as placed before the watch reports them as bound. */
    default AssumeResponse assume(AssumeRequest request) {
        return call(ProtocolMethod.ASSUME, request);
    }

    /** Reverts assumed pods. */
    default ForgetResponse forget(ForgetRequest request) {
        return call(ProtocolMethod.FORGET, request);
    }

    /** Lists the node table. {@link #nodeTables} keeps the tables of packed answers. */
    default ListNodesResponse listNodes(ListNodesRequest request) {
        return call(ProtocolMethod.LIST_NODES, request);
    }

    /** The server's status: how much of a cluster it holds, and whether it answers queries. */
    default GetStatusResponse status() {
        return call(ProtocolMethod.GET_STATUS, GetStatusRequest.getDefaultInstance());
    }
}
