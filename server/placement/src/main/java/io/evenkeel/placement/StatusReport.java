package io.evenkeel.placement;

import com.google.protobuf.Timestamp;
import io.evenkeel.engine.EngineStatus;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.FeedRecord;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.placement.call.ObjectKinds;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.placement.change.Feeds;
import io.evenkeel.placement.query.NodeSets;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reports the content of an instance and the progress of its feeds. Thread-safe. */
final class StatusReport {
    private final EngineAccess access;
    private final Feeds feeds;
    private final NodeSets nodeSets;
    private final InstanceClock clock;
    private final InstanceClock.Moments start;

    /** @param clock the clock for ages and times; the uptime counts from now */
    StatusReport(EngineAccess access, Feeds feeds, NodeSets nodeSets, InstanceClock clock) {
        this.access = access;
        this.feeds = feeds;
        this.nodeSets = nodeSets;
        this.clock = clock;
        start = clock.moments();
    }

    /** The answer to {@code GetStatus}. */
    GetStatusResponse message() {
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
                .setVersion(serverVersion())
                .setUptime(WireDurations.ofNanos(clock.nanos().getAsLong() - start.nanos()))
                .build();
    }

    private static KindStatus message(FeedState state) {
        KindStatus.Builder message = KindStatus.newBuilder()
                .setKind(ObjectKinds.inMessages(state.kind()))
                .setReady(state.ready())
                .setSnapshotUnderWay(state.snapshotUnderWay())
                .setFeeder(state.feeder())
                .setResourceVersion(resourceVersion(state.version()))
                .setHeldVersion(resourceVersion(state.heldVersion()));
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

    private static String resourceVersion(long version) {
        return version == 0 ? "" : Long.toString(version);
    }

    private static Timestamp timestamp(Instant time) {
        return Timestamp.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }

    /** The current state of each kind of object, in the order of the kinds. */
    List<FeedState> feedStates() {
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
                heardAt == null ? null : Duration.ofNanos(clock.nanos().getAsLong() - heardAt),
                record.applied(),
                record.unchanged(),
                record.refused(),
                record.bookmarks());
    }

    private @Nullable Instant timeOf(@Nullable Long moment) {
        return moment == null ? null : start.timeOf(moment);
    }

    private static String serverVersion() {
        return Objects.requireNonNullElse(
                StatusReport.class.getPackage().getImplementationVersion(), "(not from a jar)");
    }
}
