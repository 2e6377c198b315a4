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
 * Asks where pods may go and where they should go, and tells of the cluster that they go to.
 *
 * <p>Each method is one call of the protocol and waits for its answer; {@link #async()} has the same calls as futures.
 * A call that fails throws {@link PlacementException}; what is wrong with one pod of a batch stands in its item
 * instead. Thread-safe.
 */
public interface PlacementClient extends AutoCloseable {
    /** A client over any way of carrying calls. */
    static PlacementClient over(Transport transport, Duration deadline) {
        return new TransportClient(transport, deadline);
    }

    /** Makes any unary call of the protocol's two services, and waits. */
    <Q extends MessageLite, A extends MessageLite> A call(ProtocolMethod<Q, A> method, Q request);

    /**
     * Puts a question about encoded pods to Filter, Score or Evaluate, and waits.
     *
     * @param method one of these three
     */
    <A extends MessageLite> A call(ProtocolMethod<?, A> method, EncodedQuery query);

    /** The same calls as futures. */
    AsyncPlacement async();

    /**
     * A stream of evaluations: many under way at once on one call, answered in order; the cheapest way to ask often.
     */
    EvaluationStream evaluationStream();

    /** A session that feeds the cluster: a snapshot, then changes. */
    ClusterFeed feed();

    /**
     * The same client with another deadline for each call, from its start.
     *
     * <p>Such a view shares everything with the client that it came from; closing the view does nothing.
     *
     * @param deadline more than zero
     */
    PlacementClient within(Duration deadline);

    /**
     * The same client, whose queries are answered from a state no older than the last write that {@code writes} knows
     * of; the writes through this view are noted there. A query that demands a revision itself is left alone. Closing
     * the view does nothing.
     *
     * <p>One that asks a server started anew gets FAILED_PRECONDITION: the earlier writes are gone with the old one,
     * assumed pods among them. Tell the new one what it must know, through this view, or {@linkplain Revisions#clear()
     * clear} what is demanded.
     */
    PlacementClient readingOwnWrites(Revisions writes);

    /** As {@link #readingOwnWrites(Revisions)}, for the writes through the view returned. */
    default PlacementClient readingOwnWrites() {
        return readingOwnWrites(new Revisions());
    }

    /**
     * Ends streams and feeds, lets calls under way end within the deadline, and gives back what it holds. Later calls
     * fail with UNAVAILABLE. Calls on a channel of the caller's are left to it; those of an embedded client that wait
     * for a revision are refused at once.
     */
    @Override
    void close();

    /** Which candidates may take each pod, as the hard constraints say. */
    default FilterResponse filter(FilterRequest request) {
        return call(ProtocolMethod.FILTER, request);
    }

    /** As {@link #filter(FilterRequest)}, of pods in their bytes. */
    default FilterResponse filter(EncodedQuery query) {
        return call(ProtocolMethod.FILTER, query);
    }

    /** How well each candidate suits each pod, as the soft constraints say; none is filtered out. */
    default ScoreResponse score(ScoreRequest request) {
        return call(ProtocolMethod.SCORE, request);
    }

    /** As {@link #score(ScoreRequest)}, of pods in their bytes. */
    default ScoreResponse score(EncodedQuery query) {
        return call(ProtocolMethod.SCORE, query);
    }

    /** Filter, then Score of those that passed, and the best of them. */
    default EvaluateResponse evaluate(EvaluateRequest request) {
        return call(ProtocolMethod.EVALUATE, request);
    }

    /** As {@link #evaluate(EvaluateRequest)}, of pods in their bytes. */
    default EvaluateResponse evaluate(EncodedQuery query) {
        return call(ProtocolMethod.EVALUATE, query);
    }

    /** Filter of one pod on one node as if some pods were gone and others there, for each case. */
    default WhatIfResponse whatIf(WhatIfRequest request) {
        return call(ProtocolMethod.WHAT_IF, request);
    }

    /** Everything that an answer for one pod rests on. */
    default ExplainResponse explain(ExplainRequest request) {
        return call(ProtocolMethod.EXPLAIN, request);
    }

    /** Keeps a set of node names, to be referred to by its id as candidates. */
    default RegisterNodeSetResponse registerNodeSet(RegisterNodeSetRequest request) {
        return call(ProtocolMethod.REGISTER_NODE_SET, request);
    }

    /** Drops a registered set; an unknown id is no error. */
    default ForgetNodeSetResponse forgetNodeSet(ForgetNodeSetRequest request) {
        return call(ProtocolMethod.FORGET_NODE_SET, request);
    }

    /** Applies a batch of watch events, in order. */
    default ApplyResponse apply(ApplyRequest request) {
        return call(ProtocolMethod.APPLY, request);
    }

    /** Counts pods as placed that the watch has not shown bound yet. */
    default AssumeResponse assume(AssumeRequest request) {
        return call(ProtocolMethod.ASSUME, request);
    }

    /** Takes assumed pods back. */
    default ForgetResponse forget(ForgetRequest request) {
        return call(ProtocolMethod.FORGET, request);
    }

    /** The node table; {@link NodeTables} keeps one for packed answers. */
    default ListNodesResponse listNodes(ListNodesRequest request) {
        return call(ProtocolMethod.LIST_NODES, request);
    }

    /** What is known of the cluster, and whether queries are answered. */
    default GetStatusResponse status() {
        return call(ProtocolMethod.GET_STATUS, GetStatusRequest.getDefaultInstance());
    }
}
