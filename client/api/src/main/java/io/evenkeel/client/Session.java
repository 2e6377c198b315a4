package io.evenkeel.client;

import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.ChangeNode;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ChangeSessionResponse;
import io.evenkeel.v1.CloseSessionRequest;
import io.evenkeel.v1.Commit;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.Fork;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.ListSpreadResponse;
import io.evenkeel.v1.MovePod;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.OpenSessionResponse;
import io.evenkeel.v1.OperationDone;
import io.evenkeel.v1.OperationResult;
import io.evenkeel.v1.PlacePod;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RankVictimsResponse;
import io.evenkeel.v1.RemoveNode;
import io.evenkeel.v1.RemovePods;
import io.evenkeel.v1.Revert;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import java.util.Arrays;
import java.util.List;

/**
 * A hypothetical cluster that persists between calls: it begins as the live cluster, and only its own changes change
 * it. Queries see all changes so far. {@link PlacementClient#openSession} opens one.
 *
 * <pre>{@code
 * try (Session session = client.openSession()) {
 *     session.fork();
 *     session.addNodes(AddNodes.newBuilder().setTemplate(node).setNamePrefix("new-").setCount(3).build());
 *     session.evaluate(Query.of(pod).among(CandidateNodes.fitting()).toEvaluate());
 *     session.revert();
 * }
 * }</pre>
 *
 * <p>A method that makes one change throws {@link PlacementException} if the change is rejected; then nothing has
 * changed. A session lives on one server: the client must not balance calls over several. Thread-safe: changes take
 * turns.
 */
public final class Session implements PlacementQueries, AutoCloseable {
    private final PlacementClient client;
    private final String id;
    private volatile Revision revision;

    Session(PlacementClient client, OpenSessionResponse opened) {
        this.client = client;
        id = opened.getSession();
        revision = opened.getRevision();
    }

    /** The id, for {@code session} in requests. */
    public String id() {
        return id;
    }

    /** The session's revision after the last change by this object. */
    public Revision revision() {
        return revision;
    }

    // ---- queries

    @Override
    public FilterResponse filter(FilterRequest request) {
        return client.filter(request.toBuilder().setSession(id).build());
    }

    @Override
    public FilterResponse filter(EncodedQuery query) {
        return client.filter(query.in(id));
    }

    @Override
    public ScoreResponse score(ScoreRequest request) {
        return client.score(request.toBuilder().setSession(id).build());
    }

    @Override
    public ScoreResponse score(EncodedQuery query) {
        return client.score(query.in(id));
    }

    @Override
    public EvaluateResponse evaluate(EvaluateRequest request) {
        return client.evaluate(request.toBuilder().setSession(id).build());
    }

    @Override
    public EvaluateResponse evaluate(EncodedQuery query) {
        return client.evaluate(query.in(id));
    }

    @Override
    public WhatIfResponse whatIf(WhatIfRequest request) {
        return client.whatIf(request.toBuilder().setSession(id).build());
    }

    @Override
    public ExplainResponse explain(ExplainRequest request) {
        return client.explain(request.toBuilder().setSession(id).build());
    }

    @Override
    public PreemptResponse preempt(PreemptRequest request) {
        return client.preempt(request.toBuilder().setSession(id).build());
    }

    @Override
    public ListSpreadResponse listSpread(ListSpreadRequest request) {
        return client.listSpread(request.toBuilder().setSession(id).build());
    }

    @Override
    public RankVictimsResponse rankVictims(RankVictimsRequest request) {
        return client.rankVictims(request.toBuilder().setSession(id).build());
    }

    // ---- changes

    /** Makes operations in order. A rejected one has an error in the response, and does not affect the others. */
    public ChangeSessionResponse change(List<SessionOperation> operations) {
        ChangeSessionResponse response = client.call(
                ProtocolMethod.CHANGE_SESSION,
                ChangeSessionRequest.newBuilder()
                        .setSession(id)
                        .addAllOperations(operations)
                        .build());
        revision = response.getRevision();
        return response;
    }

    private OperationDone change(SessionOperation.Builder operation) {
        OperationResult result = change(List.of(operation.build())).getResults(0);
        if (!result.hasDone()) {
            throw PlacementException.of(result.getError());
        }
        return result.getDone();
    }

    /** Adds a node as it is, with its own name and labels. */
    public void addNode(Node node) {
        addNodes(AddNodes.newBuilder().setTemplate(node).build());
    }

    /** Adds nodes that equal a template, and returns their names. */
    public List<String> addNodes(AddNodes nodes) {
        return change(SessionOperation.newBuilder().setAddNodes(nodes)).getAddedNodesList();
    }

    /** Removes a node and its pods; returns how many pods it had. */
    public int removeNode(String name) {
        return change(SessionOperation.newBuilder()
                        .setRemoveNode(RemoveNode.newBuilder().setNode(name)))
                .getRemovedPodCount();
    }

    /** Changes the labels, the taints or the cordon of a node. */
    public void changeNode(ChangeNode node) {
        change(SessionOperation.newBuilder().setChangeNode(node));
    }

    /** Places another pod on a node, whether or not it fits there. The returned reference can name it later. */
    public PodReference place(Pod pod, String node) {
        return place(PlacePod.newBuilder().setPod(pod).setNode(node));
    }

    /** Places a pending pod of the session on a node, whether or not it fits there. */
    public PodReference place(PodReference pending, String node) {
        return place(PlacePod.newBuilder().setPodReference(pending).setNode(node));
    }

    private PodReference place(PlacePod.Builder place) {
        return change(SessionOperation.newBuilder().setPlacePod(place)).getPod();
    }

    /**
     * Moves a pod to another node, whether or not it fits there.
     *
     * @param node empty to make the pod pending
     */
    public void move(PodReference pod, String node) {
        change(SessionOperation.newBuilder()
                .setMovePod(MovePod.newBuilder().setPod(pod).setNode(node)));
    }

    /** Removes pods. If one is unknown, none is removed. */
    public void remove(PodReference... pods) {
        change(SessionOperation.newBuilder()
                .setRemovePods(RemovePods.newBuilder().addAllPods(Arrays.asList(pods))));
    }

    /** Begins a fork inside the current one. */
    public void fork() {
        change(SessionOperation.newBuilder().setFork(Fork.getDefaultInstance()));
    }

    /** Undoes all changes since the innermost fork began, and closes it. */
    public void revert() {
        change(SessionOperation.newBuilder().setRevert(Revert.getDefaultInstance()));
    }

    /** Makes the changes of the innermost fork part of what surrounds it, and closes it. */
    public void commit() {
        change(SessionOperation.newBuilder().setCommit(Commit.getDefaultInstance()));
    }

    /** Closes the session. Closing it again has no effect. */
    @Override
    public void close() {
        client.call(
                ProtocolMethod.CLOSE_SESSION,
                CloseSessionRequest.newBuilder().setSession(id).build());
    }
}
