package io.evenkeel.placement;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.change.ChangeList;
import io.evenkeel.placement.change.ChangeScanner;
import io.evenkeel.placement.change.FeedListener;
import io.evenkeel.placement.change.Feeder;
import io.evenkeel.placement.change.Feeds;
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
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the calls of the {@code ClusterState} service, which change the state or tell about it. All throw
 * {@link RequestException} where the whole request is refused. Safe for use by several threads.
 */
public final class ClusterStateHandler {
    private final EngineAccess access;
    private final Feeder feeder;
    private final Feeds feeds;
    private final NodePages nodePages;
    private final AssumptionCalls assumptions;
    private final StatusReport status;
    private final InstanceOptions options;
    private final TemplateCache templates = new TemplateCache();

    ClusterStateHandler(EngineAccess access, Feeder feeder, NodeSets nodeSets, InstanceOptions options) {
        this.access = access;
        this.feeder = feeder;
        this.feeds = new Feeds(options.limits().stalledAfter(), options.clock().nanos());
        this.nodePages = new NodePages(access);
        this.assumptions = new AssumptionCalls(access, options);
        this.status = new StatusReport(access, feeds, nodeSets, options.clock());
        this.options = options;
    }

    /**
     * Says that a feeder begins that will list every kind, so that Apply makes no kind ready before its list has come,
     * however long the feeder does not reach its source. Where Apply alone has made kinds ready, they are not any more.
     */
    public void expectSnapshots() {
        access.engine().write(writer -> access.readiness().expectSnapshots());
        access.readiness().tell();
    }

    /** Begins a stream of {@code Sync}. Close it when the stream ends. */
    public SyncSession sync() {
        return new SyncSession(access, feeder, feeds, options.limits(), templates);
    }

    /**
     * Gathers objects or events of a kind, for {@link SyncSession#handle(KindChanges)}.
     *
     * @param most how many at a time; no more than a message may have
     */
    public KindChanges changes(ObjectKind kind, int most) {
        return new KindChanges(kind, most, templates);
    }

    /**
     * Reads a message of {@code Sync}, for {@link SyncSession#handle(SyncStep)}.
     *
     * @throws InvalidProtocolBufferException where the bytes are not such a message
     */
    public SyncStep readSync(byte[] request) throws InvalidProtocolBufferException {
        return SyncStep.read(request, options.limits().events(), templates);
    }

    /**
     * Reads an ApplyRequest, for {@link #apply(ChangeList)}.
     *
     * @throws InvalidProtocolBufferException where the bytes are not such a message
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
        access.readiness().tell();
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

    /** How many pods were assumed so far with this outcome. */
    public long assumed(Assumption outcome) {
        return assumptions.count(outcome);
    }

    public ListNodesResponse listNodes(ListNodesRequest request) {
        return nodePages.page(request);
    }

    public GetStatusResponse getStatus(GetStatusRequest request) {
        return status.message();
    }

    /** What is known of each kind of object now, in the order of the kinds. */
    public List<FeedState> feedStates() {
        return status.feedStates();
    }

    /** Has {@code listener} told what becomes of feeds from now on. */
    public void onFeed(FeedListener listener) {
        feeds.listen(listener);
        access.readiness().onKinds(listener::ready);
    }

    /** Whether queries are answered: the server has a cluster, and the first snapshot is not under way. */
    public boolean isReady() {
        return access.readiness().isReady();
    }

    /**
     * Waits for at most so long, while there is a state, no query has come for a second, and none waits for a newer
     * state. The next query ends the wait. Who feeds the state may let events gather meanwhile.
     */
    public void rest(long mostNanos) throws InterruptedException {
        if (isReady() && !access.gate().isAwaited()) {
            access.recent().await(mostNanos);
        }
    }

    /** Why queries are not answered because of this kind, in one line; null where they are. */
    public @Nullable String obstacle(ObjectKind kind) {
        return access.readiness().obstacle(kind);
    }

    /** Whether a stream feeds this kind now, from a source that it reaches. */
    public boolean isFed(ObjectKind kind) {
        return feeds.since(kind) != null;
    }

    /**
     * Calls {@code listener} with whether queries are answered: now, and whenever that changes, in the thread that
     * changed it.
     */
    public void onReadiness(Consumer<Boolean> listener) {
        access.readiness().onChange(listener);
    }
}
