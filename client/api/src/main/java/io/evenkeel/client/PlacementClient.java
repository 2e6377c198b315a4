package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
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
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.RegisterNodeSetResponse;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import java.time.Duration;

/**
 * The client: asks where pods may go and where they should go, and feeds the cluster.
 *
 * <p>Each method is one call of the protocol and waits for its answer; {@link #async()} has the same calls with
 * futures. A call that fails throws {@link PlacementException}. An error of one pod of a batch is in the pod's item of
 * the answer instead. Thread-safe.
 */
public interface PlacementClient extends AutoCloseable {
    /**
     * A client that uses a transport of the caller's, and closes it when it is closed itself.
     *
     * @param deadline of each call; more than zero
     */
    static PlacementClient over(Transport transport, Duration deadline) {
        return new TransportClient(transport, deadline);
    }

    /** Makes any unary call of the protocol's two services, and waits for the answer. */
    <Q extends MessageLite, A extends MessageLite> A call(ProtocolMethod<Q, A> method, Q request);

    /**
     * Makes a call of Filter, Score or Evaluate about encoded pods, and waits for the answer.
     *
     * @param method one of these three
     */
    <A extends MessageLite> A call(ProtocolMethod<?, A> method, EncodedQuery query);

    /** The same calls with futures. */
    AsyncPlacement async();

    /**
     * Opens a stream of evaluations: many can be under way at the same time, and they are answered in order. It is the
     * cheapest way to ask often.
     */
    EvaluationStream evaluationStream();

    /** The node tables that packed answers refer to. The views of a client share them. */
    NodeTables nodeTables();

    /** Opens a session that feeds the cluster: first a snapshot, and then changes. */
    default ClusterFeed feed() {
        return feed(FeedOptions.UNNAMED);
    }

    /** As {@link #feed()}, for a feeder with a name, or one that takes over. */
    ClusterFeed feed(FeedOptions options);

    /**
     * The same client with another deadline for each call, counted from the call's start.
     *
     * <p>The returned view shares everything else with this client; closing the view does nothing.
     *
     * @param deadline more than zero
     */
    PlacementClient within(Duration deadline);

    /**
     * The same client, whose queries see its writes: each query is answered from a state at least as new as the last
     * write recorded in {@code writes}. Writes through this view are recorded there. A query that demands a revision
     * itself is not changed. Closing the view does nothing.
     *
     * <p>After the server was restarted, queries fail with FAILED_PRECONDITION, because the earlier writes are lost,
     * including assumed pods. Write them again through this view, or {@linkplain Revisions#clear() clear} the recorded
     * revision.
     */
    PlacementClient readingOwnWrites(Revisions writes);

    /** As {@link #readingOwnWrites(Revisions)}, for the writes through the returned view only. */
    default PlacementClient readingOwnWrites() {
        return readingOwnWrites(new Revisions());
    }

    /**
     * Ends streams and feeds, lets calls under way end within the deadline, and releases all resources. Later calls
     * fail with UNAVAILABLE. Calls on a channel of the caller's are not ended. Calls of an embedded client that wait
     * for a revision are refused at once, unless its index is the caller's.
     */
    @Override
    void close();

    /** Filter: which candidates may take each pod, by the hard constraints. */
    default FilterResponse filter(FilterRequest request) {
        return call(ProtocolMethod.FILTER, request);
    }

    /** As {@link #filter(FilterRequest)}, for pods as bytes. */
    default FilterResponse filter(EncodedQuery query) {
        return call(ProtocolMethod.FILTER, query);
    }

    /** Score: how well each candidate suits each pod, by the soft constraints. No candidate is filtered out. */
    default ScoreResponse score(ScoreRequest request) {
        return call(ProtocolMethod.SCORE, request);
    }

    /** As {@link #score(ScoreRequest)}, for pods as bytes. */
    default ScoreResponse score(EncodedQuery query) {
        return call(ProtocolMethod.SCORE, query);
    }

    /** Evaluate: Filter, then Score of the nodes that passed, and the best of these. */
    default EvaluateResponse evaluate(EvaluateRequest request) {
        return call(ProtocolMethod.EVALUATE, request);
    }

    /** As {@link #evaluate(EvaluateRequest)}, for pods as bytes. */
    default EvaluateResponse evaluate(EncodedQuery query) {
        return call(ProtocolMethod.EVALUATE, query);
    }

    /** WhatIf: for each case, Filter of one pod on one node, as if some pods were removed and others added. */
    default WhatIfResponse whatIf(WhatIfRequest request) {
        return call(ProtocolMethod.WHAT_IF, request);
    }

    /** Explain: everything that the answer for one pod depends on. */
    default ExplainResponse explain(ExplainRequest request) {
        return call(ProtocolMethod.EXPLAIN, request);
    }

    /** Registers a set of node names, whose id can then be used for candidates. */
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

    /** Counts pods as placed before the watch shows them bound. */
    default AssumeResponse assume(AssumeRequest request) {
        return call(ProtocolMethod.ASSUME, request);
    }

    /** Takes assumed pods back. */
    default ForgetResponse forget(ForgetRequest request) {
        return call(ProtocolMethod.FORGET, request);
    }

    /** The node table; {@link #nodeTables} keeps those of packed answers. */
    default ListNodesResponse listNodes(ListNodesRequest request) {
        return call(ProtocolMethod.LIST_NODES, request);
    }

    /** The state of the server: how much of a cluster it holds, and whether queries are answered. */
    default GetStatusResponse status() {
        return call(ProtocolMethod.GET_STATUS, GetStatusRequest.getDefaultInstance());
    }
}
