package io.evenkeel.placement;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.FeedListener;
import io.evenkeel.placement.call.KindFeedState;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.change.ChangeList;
import io.evenkeel.placement.change.ChangeScanner;
import io.evenkeel.placement.change.Feeder;
import io.evenkeel.placement.change.KindChanges;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.change.SyncStep;
import io.evenkeel.placement.query.NodeSets;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.ForgetResponse;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import java.util.function.Consumer;

/**
 * Answers the calls of the {@code ClusterState} service, which change or report the state. All throw
 * {@link RequestException} if the whole request is rejected. Thread-safe.
 */
public final class ClusterStateHandler {
    private final EngineAccess access;
    private final Feeder feeder;
    private final NodePages nodePages;
    private final AssumptionCalls assumptions;
    private final StatusReport status;
    private final InstanceOptions options;
    private final TemplateCache templates = new TemplateCache();

    ClusterStateHandler(EngineAccess access, Feeder feeder, NodeSets nodeSets, InstanceOptions options) {
        this.access = access;
        this.feeder = feeder;
        this.nodePages = new NodePages(access);
        this.assumptions = new AssumptionCalls(access, options);
        this.status = new StatusReport(access, nodeSets, options.clock());
        this.options = options;
    }

    /**
     * Called when a feeder starts that will list every kind. Until the list of a kind arrives, Apply cannot make it
     * ready, even if the feeder's source stays unreachable. Kinds that only Apply has made ready are no longer ready.
     */
    public void expectSnapshots() {
        access.engine().write(writer -> access.feeds().expectSnapshots());
        access.feeds().notifyListeners();
    }

    /** Opens a {@code Sync} stream. Close it when the stream ends. */
    public SyncSession sync() {
        return new SyncSession(access, feeder, options.limits(), templates);
    }

    /**
     * Collects objects or events of a kind, for {@link SyncSession#handle(KindChanges)}.
     *
     * @param most the maximum number at a time; at most that of a message
     */
    public KindChanges changes(ObjectKind kind, int most) {
        return new KindChanges(kind, most, templates);
    }

    /**
     * Reads a {@code Sync} message, for {@link SyncSession#handle(SyncStep)}.
     *
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    public SyncStep readSync(byte[] request) throws InvalidProtocolBufferException {
        return SyncStep.read(request, options.limits().events(), templates);
    }

    /**
     * Reads an ApplyRequest, for {@link #apply(ChangeList)}.
     *
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    public ChangeList readApply(byte[] request) throws InvalidProtocolBufferException {
        return ChangeScanner.read(request, options.limits().events(), templates);
    }

    /** Applies a batch of events; see {@link #apply(ChangeList)}. */
    public ApplyResponse apply(ApplyRequest request) {
        try {
            return apply(readApply(request.toByteArray()));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("a message must be well-formed", e);
        }
    }

    public ApplyResponse apply(ChangeList events) {
        Limits.admit(events.count(), options.limits().events(), "events");
        Feeder.Outcome outcome = feeder.apply(events);
        access.feeds().notifyListeners();
        return ApplyResponse.newBuilder()
                .setRevision(access.revision(outcome.revision()))
                .addAllRefusals(outcome.refusals())
                .setAppliedCount(outcome.applied())
                .build();
    }

    public AssumeResponse assume(AssumeRequest request) {
        return assumptions.assume(request);
    }

    public ForgetResponse forget(ForgetRequest request) {
        return assumptions.forget(request);
    }

    /** The number of pods assumed so far with this outcome. */
    public long assumed(Assumption outcome) {
        return assumptions.count(outcome);
    }

    public ListNodesResponse listNodes(ListNodesRequest request) {
        return nodePages.page(request);
    }

    public GetStatusResponse getStatus(GetStatusRequest request) {
        return status.message();
    }

    /** The state of the feed of a kind, which changes with it. */
    public KindFeedState feed(ObjectKind kind) {
        return access.feeds().of(kind);
    }

    /** Adds a listener for future events about feeds. */
    public void onFeed(FeedListener listener) {
        access.feeds().listen(listener);
    }

    /** True if queries are answered, which requires a complete state of the cluster. */
    public boolean isReady() {
        return access.feeds().isReady();
    }

    /**
     * Lets feeders batch events while the server is idle. Waits up to {@code maxNanos} if the server is ready, no query
     * has arrived for a second, and none waits for a newer state. The next query ends the wait.
     */
    public void rest(long maxNanos) throws InterruptedException {
        if (isReady() && !access.waiting().isAwaited()) {
            access.recent().await(maxNanos);
        }
    }

    /**
     * Calls {@code listener} with whether queries are answered: now, and whenever that changes, in the thread that
     * causes the change.
     */
    public void onReadiness(Consumer<Boolean> listener) {
        access.feeds().onReadiness(listener);
    }
}
