package io.evenkeel.placement;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import io.evenkeel.engine.EngineStatus;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.FeedRecord;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ObjectKinds;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.placement.change.ChangeList;
import io.evenkeel.placement.change.ChangeScanner;
import io.evenkeel.placement.change.FeedListener;
import io.evenkeel.placement.change.Feeder;
import io.evenkeel.placement.change.Feeds;
import io.evenkeel.placement.change.KindChanges;
import io.evenkeel.placement.change.Refusals;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.change.SyncStep;
import io.evenkeel.placement.query.NodeSets;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.ForgetResponse;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers the calls of the {@code ClusterState} service, which change the state or tell about it. All throw
 * {@link RequestException} where the whole request is refused. Safe for use by several threads.
 */
public final class ClusterStateHandler {
    private final EngineAccess access;
    private final Feeder feeder;
    private final Feeds feeds;
    private final NodeSets nodeSets;
    private final NodePages nodePages;
    private final InstanceOptions options;
    private final TemplateCache templates = new TemplateCache();
    /** How many pods were assumed, by outcome; refused ones are not among them. */
    private final LongAdder[] assumed =
            Stream.generate(LongAdder::new).limit(Assumption.values().length).toArray(LongAdder[]::new);

    private final InstanceClock.Moments start;

    ClusterStateHandler(EngineAccess access, Feeder feeder, NodeSets nodeSets, InstanceOptions options) {
        this.access = access;
        this.feeder = feeder;
        this.feeds = new Feeds(options.limits().stalledAfter(), options.clock().nanos());
        this.start = options.clock().moments();
        this.nodeSets = nodeSets;
        this.nodePages = new NodePages(access);
        this.options = options;
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
        Limits.admit(request.getPodsCount(), options.limits().events(), "pods");
        Duration timeToLive = timeToLive(request);
        AssumeResponse.Builder response = AssumeResponse.newBuilder();
        List<Assumed> slice = new ArrayList<>(Feeder.SLICE);
        Set<String> unknownNodes = new LinkedHashSet<>();
        long revision = access.engine().revision();
        for (int i = 0; i < request.getPodsCount(); i++) {
            AssumedPod each = request.getPods(i);
            try {
                PodRecord pod = PodScanner.assumed(each.getPod());
                String wrong = NodeNames.wrong(each.getNode());
                if (wrong != null) {
                    response.addRefusals(
                            Refusals.of(i, each.getPod().getMetadata(), ItemErrors.invalid("node", wrong)));
                } else {
                    slice.add(new Assumed(i, each, pod));
                }
            } catch (InvalidObjectException e) {
                response.addRefusals(Refusals.of(i, each.getPod().getMetadata(), ItemErrors.invalid(e, "pod")));
            }
            if (slice.size() == Feeder.SLICE || i == request.getPodsCount() - 1) {
                revision = access.engine().write(writer -> {
                    for (Assumed assumed : slice) {
                        try {
                            Assumption assumption = writer.assume(assumed.pod, assumed.message.getNode(), timeToLive);
                            if (assumption == Assumption.NODE_UNKNOWN) {
                                unknownNodes.add(assumed.message.getNode());
                            }
                            count(assumption);
                            assumed.note(assumption, response);
                        } catch (CapacityException full) {
                            response.addRefusals(Refusals.of(
                                    assumed.position,
                                    assumed.message.getPod().getMetadata(),
                                    ItemErrors.of(ErrorReason.ERROR_REASON_STATE_FULL, full)));
                        }
                    }
                });
                slice.clear();
            }
        }
        return response.addAllUnknownNodes(unknownNodes)
                .setRevision(access.revision(revision))
                .build();
    }

    private void count(Assumption outcome) {
        assumed[outcome.ordinal()].increment();
    }

    /** How many pods were assumed so far with this outcome. */
    public long assumed(Assumption outcome) {
        return assumed[outcome.ordinal()].sum();
    }

    /** A pod of an AssumeRequest, and its place in the request. */
    private record Assumed(int position, AssumedPod message, PodRecord pod) {
        void note(Assumption assumption, AssumeResponse.Builder response) {
            switch (assumption) {
                case COUNTED, NODE_UNKNOWN -> {}
                case ALREADY_BOUND -> response.addBoundUids(pod.uid());
                case DELETED ->
                    response.addRefusals(Refusals.of(
                            position,
                            message.getPod().getMetadata(),
                            ItemErrors.of(
                                    ErrorReason.ERROR_REASON_POD_DELETED,
                                    "the pod was deleted a short while ago (pod.metadata.uid)")));
            }
        }
    }

    /**
     * How long the request's assumptions last; null means for ever. Durations longer than any process runs count as for
     * ever.
     */
    private @Nullable Duration timeToLive(AssumeRequest request) {
        WireDurations.requireValid(request.getTimeToLive(), "timeToLive");
        Duration asked = WireDurations.of(request.getTimeToLive());
        Duration lifetime = asked.isZero() ? options.assumptionLifetime() : asked;
        return lifetime.isZero() || lifetime.compareTo(Limits.LONGEST) >= 0 ? null : lifetime;
    }

    public ForgetResponse forget(ForgetRequest request) {
        Limits.admit(request.getUidsCount(), options.limits().events(), "uids");
        int[] forgotten = new int[1];
        long revision = access.engine().revision();
        for (int from = 0; from < request.getUidsCount(); from += Feeder.SLICE) {
            List<String> slice =
                    request.getUidsList().subList(from, Math.min(request.getUidsCount(), from + Feeder.SLICE));
            revision = access.engine().write(writer -> {
                for (String uid : slice) {
                    forgotten[0] += writer.forget(uid) ? 1 : 0;
                }
            });
        }
        return ForgetResponse.newBuilder()
                .setRevision(access.revision(revision))
                .setForgottenCount(forgotten[0])
                .build();
    }

    public ListNodesResponse listNodes(ListNodesRequest request) {
        return nodePages.page(request);
    }

    public GetStatusResponse getStatus(GetStatusRequest request) {
        EngineStatus status = access.engine().status();
        GetStatusResponse.Builder response = GetStatusResponse.newBuilder();
        for (ObjectKind kind : ObjectKind.ALL) {
            response.addKinds(message(feedState(kind, status.versions(), status.snapshotsUnderWay())));
        }
        return response.setRevision(access.revision(status.revision()))
                .setNodeTableToken(access.tokens().of(status.nodeTableRevision()))
                .setReady(access.readiness().isReady())
                .setNodeCount(status.nodes())
                .setPodCount(status.pods())
                .setCountedPodCount(status.countedPods())
                .setAssumedPodCount(status.assumedPods())
                .setUnknownNodePodCount(status.podsOnUnknownNodes())
                .setOwnerCount(status.owners())
                .setLabelClassCount(status.labelClasses())
                .setSelectorCount(status.selectors())
                .setEligibilityCount(status.eligibilities())
                .setSpreadGroupCount(status.spreadGroups())
                .setPlanCount(status.plans())
                .setNodeSetCount(nodeSets.size())
                .setVersion(version())
                .setUptime(WireDurations.ofNanos(options.clock().nanos().getAsLong() - start.nanos()))
                .build();
    }

    private static KindStatus message(FeedState state) {
        KindStatus.Builder message = KindStatus.newBuilder()
                .setKind(ObjectKinds.inMessages(state.kind()))
                .setReady(state.ready())
                .setSnapshotUnderWay(state.snapshotUnderWay())
                .setFeeder(state.feeder())
                .setResourceVersion(version(state.version()))
                .setHeldVersion(version(state.heldVersion()));
        if (state.since() != null) {
            message.setFeedingSince(timestamp(state.since()));
        }
        if (state.lastEvent() != null) {
            message.setLastEventTime(timestamp(state.lastEvent()));
        }
        if (state.lastBookmark() != null) {
            message.setLastBookmarkTime(timestamp(state.lastBookmark()));
        }
        if (state.age() != null) {
            message.setAge(WireDurations.ofNanos(state.age().toNanos()));
        }
        return message.build();
    }

    private static String version(long version) {
        return version == 0 ? "" : Long.toString(version);
    }

    private static Timestamp timestamp(Instant time) {
        return Timestamp.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }

    /** What is known of each kind of object now, in the order of the kinds. */
    public List<FeedState> feedStates() {
        EngineStatus status = access.engine().status();
        return ObjectKind.ALL.stream()
                .map(kind -> feedState(kind, status.versions(), status.snapshotsUnderWay()))
                .toList();
    }

    private FeedState feedState(ObjectKind kind, KindVersions versions, Set<ObjectKind> underWay) {
        FeedRecord record = access.progress().record(kind);
        Long since = feeds.since(kind);
        Long heardAt = record.heardAt();
        return new FeedState(
                kind,
                access.readiness().isReady(kind),
                underWay.contains(kind),
                since != null,
                feeds.feeder(kind),
                timeOf(since),
                versions.told(kind),
                versions.held(kind),
                timeOf(record.eventAt()),
                timeOf(record.bookmarkAt()),
                heardAt == null
                        ? null
                        : Duration.ofNanos(options.clock().nanos().getAsLong() - heardAt),
                record.applied(),
                record.unchanged(),
                record.refused(),
                record.bookmarks());
    }

    private @Nullable Instant timeOf(@Nullable Long moment) {
        return moment == null ? null : start.timeOf(moment);
    }

    /** Has {@code listener} told what becomes of feeds from now on. */
    public void onFeed(FeedListener listener) {
        feeds.listen(listener);
        access.readiness().onKinds(listener::ready);
    }

    private static String version() {
        return Objects.requireNonNullElse(
                ClusterStateHandler.class.getPackage().getImplementationVersion(), "(not from a jar)");
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
