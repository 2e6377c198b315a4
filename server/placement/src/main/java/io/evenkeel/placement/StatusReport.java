package io.evenkeel.placement;

import com.google.protobuf.Timestamp;
import io.evenkeel.engine.EngineStatus;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.placement.call.KindFeedState;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.placement.query.NodeSets;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindStatus;
import java.time.Instant;
import java.util.Objects;

/** Reports the content of an instance and the progress of its feeds. Thread-safe. */
final class StatusReport {
    private static final String KUBERNETES_VERSION = "1.36";

    private final EngineAccess access;
    private final NodeSets nodeSets;
    private final InstanceClock clock;
    private final InstanceClock.Moments start;

    /** @param clock the clock for ages and times; the uptime counts from now */
    StatusReport(EngineAccess access, NodeSets nodeSets, InstanceClock clock) {
        this.access = access;
        this.nodeSets = nodeSets;
        this.clock = clock;
        start = clock.moments();
    }

    /** The answer to {@code GetStatus}. */
    GetStatusResponse message() {
        EngineStatus status = access.engine().status();
        GetStatusResponse.Builder response = GetStatusResponse.newBuilder();
        for (ObjectKind kind : ObjectKind.ALL) {
            response.addKinds(message(access.feeds().of(kind), status.versions()));
        }
        return response.setRevision(access.revision(status.revision()))
                .setNodeTableToken(access.tokens().of(status.nodeTableRevision()))
                .setReady(access.feeds().isReady())
                .setNodeCount(status.nodes())
                .setPodCount(status.pods())
                .setCountedPodCount(status.countedPods())
                .setAssumedPodCount(status.assumedPods())
                .setUnknownNodePodCount(status.podsOnUnknownNodes())
                .setOwnerCount(status.owners())
                .setDisruptionBudgetCount(status.budgets())
                .setLabelClassCount(status.labelClasses())
                .setSelectorCount(status.selectors())
                .setEligibilityCount(status.eligibilities())
                .setSpreadGroupCount(status.spreadGroups())
                .setPlanCount(status.plans())
                .setNodeSetCount(nodeSets.size())
                .setVersion(serverVersion())
                .setKubernetesVersion(KUBERNETES_VERSION)
                .setUptime(WireDurations.ofNanos(clock.nanos().getAsLong() - start.nanos()))
                .build();
    }

    private KindStatus message(KindFeedState feed, KindVersions versions) {
        KindFeedState.Received received = feed.received();
        KindStatus.Builder message = KindStatus.newBuilder()
                .setKind(KindMessages.inMessages(feed.kind()))
                .setReady(feed.isReady())
                .setSnapshotUnderWay(feed.isListing())
                .setFeeder(feed.feeder())
                .setResourceVersion(resourceVersion(versions.reported(feed.kind())))
                .setHeldVersion(resourceVersion(versions.held(feed.kind())));
        String obstacle = feed.versionObstacle();
        if (obstacle != null) {
            message.setVersionObstacle(obstacle);
        }
        Long since = feed.since();
        if (since != null) {
            message.setFeedingSince(timestamp(since));
        }
        if (received.eventAt() != null) {
            message.setLastEventTime(timestamp(received.eventAt()));
        }
        if (received.bookmarkAt() != null) {
            message.setLastBookmarkTime(timestamp(received.bookmarkAt()));
        }
        if (received.heardAt() != null) {
            message.setAge(WireDurations.ofNanos(clock.nanos().getAsLong() - received.heardAt()));
        }
        return message.build();
    }

    private static String resourceVersion(long version) {
        return version == 0 ? "" : Long.toString(version);
    }

    private Timestamp timestamp(long moment) {
        Instant time = start.timeOf(moment);
        return Timestamp.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }

    private static String serverVersion() {
        return Objects.requireNonNullElse(
                StatusReport.class.getPackage().getImplementationVersion(), "(not from a jar)");
    }
}
