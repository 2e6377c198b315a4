package io.evenkeel.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import io.evenkeel.v1.SyncRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests changes from outside the feed, late or ahead of it, around a relist of the feed: what the list does not contain
 * is gone, and what arrived after it is not.
 */
final class LateChangeTest {
    private static final ClusterEvent.Type ADDED = ClusterEvent.Type.TYPE_ADDED;
    private static final ClusterEvent.Type MODIFIED = ClusterEvent.Type.TYPE_MODIFIED;

    /** One kind for each table of the engine. */
    enum Kind {
        NODE(ObjectKind.OBJECT_KIND_NODE) {
            @Override
            ClusterObject object(ObjectMeta metadata) {
                return ClusterObject.newBuilder()
                        .setNode(Node.newBuilder().setMetadata(metadata))
                        .build();
            }

            @Override
            long count(GetStatusResponse status) {
                return status.getNodeCount();
            }
        },
        POD(ObjectKind.OBJECT_KIND_POD) {
            @Override
            ClusterObject object(ObjectMeta metadata) {
                return ClusterObject.newBuilder()
                        .setPod(Pod.newBuilder().setMetadata(metadata))
                        .build();
            }

            @Override
            long count(GetStatusResponse status) {
                return status.getPodCount();
            }
        },
        SERVICE(ObjectKind.OBJECT_KIND_SERVICE) {
            @Override
            ClusterObject object(ObjectMeta metadata) {
                return ClusterObject.newBuilder()
                        .setService(Service.newBuilder()
                                .setMetadata(metadata)
                                .setSpec(
                                        ServiceSpec.newBuilder().putSelector("version", metadata.getResourceVersion())))
                        .build();
            }

            @Override
            long count(GetStatusResponse status) {
                return status.getOwnerCount();
            }
        };

        private final ObjectKind kind;

        Kind(ObjectKind kind) {
            this.kind = kind;
        }

        abstract ClusterObject object(ObjectMeta metadata);

        abstract long count(GetStatusResponse status);

        ClusterObject at(String name, long version) {
            return at(name, name, version);
        }

        ClusterObject at(String name, String uid, long version) {
            ObjectMeta.Builder metadata = ObjectMeta.newBuilder().setName(name).setUid(uid);
            if (this != NODE) {
                metadata.setNamespace(Messages.NAMESPACE);
            }
            if (version > 0) {
                metadata.setResourceVersion(Long.toString(version));
            }
            return object(metadata.putLabels("version", Long.toString(version)).build());
        }
    }

    private final Instance instance = new Instance(InstanceOptions.standard());
    private final SyncSession feed = instance.clusterState().sync();

    @AfterEach
    void index_isWhatARecountSays() {
        feed.close();
        IndexValidator.validate(instance.engine());
        instance.close();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void lateChange_doesNotBringBack_whatAListAgainHasNot(Kind kind) {
        list(kind, 100, kind.at("x", 100), kind.at("y", 90));
        assertEquals(1, list(kind, 200, kind.at("y", 90)));
        assertEquals(0, apply(MODIFIED, kind.at("x", 150)));
        assertEquals(0, apply(ADDED, kind.at("x", 150)));
        assertEquals(0, apply(MODIFIED, kind.at("x", 0)));
        assertEquals(1, count(kind));
    }

    /** A hand-written feeder may restart with a new state and new versions. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void anyChange_bringsBack_whatAListWithoutAVersionHasNot(Kind kind) {
        for (ClusterEvent.Type type : List.of(ADDED, MODIFIED)) {
            list(kind, 0, kind.at("x", 100), kind.at("y", 90));
            assertEquals(1, list(kind, 0, kind.at("y", 180)));
            assertEquals(1, apply(type, kind.at("x", 3)));
            assertEquals(2, list(kind, 0));
            assertEquals(1, events(type, kind.at("y", 1)));
            assertEquals(1, count(kind));
        }
    }

    /** If two objects have the same name, only the newer one can exist. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"NODE", "SERVICE"})
    void lateChange_takesNoName_fromWhatTheListInProgressHas(Kind kind) {
        begin(kind);
        objects(kind.at("name", "new", 90));
        assertEquals(0, apply(MODIFIED, kind.at("name", "old", 70)));
        assertEquals(0, end(kind, 100));
        assertEquals(1, events(MODIFIED, kind.at("name", "new", 110)));
        assertEquals(1, count(kind));
        begin(kind);
        objects(kind.at("name", "new", 110));
        assertEquals(1, apply(ADDED, kind.at("name", "newest", 130)));
        assertEquals(0, end(kind, 120));
        assertEquals(1, count(kind));
    }

    @Test
    void pod_isNotAssumed_onceAListAgainHasItNot() {
        list(Kind.POD, 100, Kind.POD.at("x", 100));
        list(Kind.POD, 200);
        AssumeRequest assume = AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder()
                        .setPod(Kind.POD.at("x", 100).getPod())
                        .setNode("n"))
                .build();
        assertEquals(
                ErrorReason.ERROR_REASON_POD_DELETED,
                instance.clusterState().assume(assume).getRefusals(0).getError().getReason());
        assertEquals(0, count(Kind.POD));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void changeThatIsNotNewer_savesNothingFromTheEndOfASnapshot(Kind kind) {
        list(kind, 100, kind.at("x", 100), kind.at("y", 100));
        begin(kind);
        // A change from elsewhere with the known state says nothing about the list.
        assertEquals(0, apply(MODIFIED, kind.at("x", 100)));
        assertEquals(0, apply(MODIFIED, kind.at("x", 90)));
        assertEquals(0, events(MODIFIED, kind.at("y", 90)));
        assertEquals(2, end(kind, 200));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void changeFromElsewhere_thatIsOlderThanTheList_savesNothingFromItsEnd(Kind kind) {
        list(kind, 100, kind.at("x", 100));
        begin(kind);
        objects(kind.at("z", 170));
        assertEquals(1, apply(MODIFIED, kind.at("x", 150)));
        assertEquals(1, apply(ADDED, kind.at("y", 160)));
        assertEquals(2, end(kind, 200));
        assertEquals(0, apply(MODIFIED, kind.at("x", 180)));
        assertEquals(0, apply(ADDED, kind.at("y", 180)));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void objectThatIsNewerThanTheList_staysAtItsEnd(Kind kind) {
        list(kind, 100, kind.at("x", 100));
        begin(kind);
        assertEquals(1, apply(ADDED, kind.at("new", 210)));
        objects(kind.at("x", 100));
        assertEquals(0, end(kind, 200));
        assertEquals(2, count(kind));
        assertEquals(0, events(ADDED, kind.at("new", 210)));
        assertEquals(1, events(ClusterEvent.Type.TYPE_DELETED, kind.at("new", 220)));
    }

    /** It was reported before the snapshot started, but the list is older. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void objectThatIsNewerThanTheList_returnsWithItsEvents_ifItWasRemoved(Kind kind) {
        list(kind, 100);
        apply(ADDED, kind.at("new", 210));
        apply(MODIFIED, kind.at("new", 215));
        assertEquals(1, list(kind, 200));
        assertEquals(0, apply(MODIFIED, kind.at("new", 215)));
        assertEquals(1, events(ADDED, kind.at("new", 210)));
        events(MODIFIED, kind.at("new", 215));
        assertEquals(1, count(kind));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void eventsOfTheFeed_nameObjects_ifTheyAreNewsOrWhatIsStored(Kind kind) {
        list(kind, 100, kind.at("x", 100), kind.at("y", 90), kind.at("z", 95));
        apply(MODIFIED, kind.at("z", 160));
        begin(kind);
        events(ADDED, kind.at("x", 100));
        events(MODIFIED, kind.at("y", 120));
        // The feed is at 95. Another source reported the object at 160, which is after the list.
        events(ADDED, kind.at("z", 95));
        assertEquals(0, end(kind, 150));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void objectsWithoutVersions_mayReturn_byAnyChange(Kind kind) {
        for (ClusterEvent.Type type : List.of(ADDED, MODIFIED)) {
            list(kind, 0, kind.at("x", 0));
            assertEquals(1, list(kind, 0));
            assertEquals(1, apply(type, kind.at("x", 0)));
            assertEquals(1, list(kind, 0));
        }
        list(kind, 0, kind.at("x", 0));
        begin(kind);
        apply(MODIFIED, kind.at("x", 0));
        assertEquals(0, end(kind, 0));
        assertEquals(1, count(kind));
        // The list has a version, but the object still has none.
        list(kind, 200);
        assertEquals(1, apply(ADDED, kind.at("x", 0)));
        list(kind, 300);
        list(kind, 0, kind.at("x", 0));
        assertEquals(1, count(kind));
    }

    /** Sends a list of the feed; returns how many objects its end removed. */
    private int list(Kind kind, long version, ClusterObject... objects) {
        begin(kind);
        objects(objects);
        return end(kind, version);
    }

    private void begin(Kind kind) {
        feed.handle(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder().addKinds(kind.kind))
                .build());
    }

    private void objects(ClusterObject... objects) {
        feed.handle(SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addAllObjects(List.of(objects)))
                .build());
    }

    private int end(Kind kind, long version) {
        EndSnapshot.Builder end = EndSnapshot.newBuilder();
        end.addKindsBuilder().setKind(kind.kind).setResourceVersion(version == 0 ? "" : Long.toString(version));
        return feed.handle(SyncRequest.newBuilder().setEndSnapshot(end).build()).getRemovedCount();
    }

    /** Sends events of the feed; returns how many changed the state. */
    private int events(ClusterEvent.Type type, ClusterObject... objects) {
        return feed.handle(SyncRequest.newBuilder()
                        .setEvents(Events.newBuilder().addAllEvents(eventsOf(type, objects)))
                        .build())
                .getAppliedCount();
    }

    /** Sends events from elsewhere; returns how many changed the state. */
    private int apply(ClusterEvent.Type type, ClusterObject... objects) {
        return instance.clusterState()
                .apply(ApplyRequest.newBuilder()
                        .addAllEvents(eventsOf(type, objects))
                        .build())
                .getAppliedCount();
    }

    private static List<ClusterEvent> eventsOf(ClusterEvent.Type type, ClusterObject... objects) {
        List<ClusterEvent> events = new ArrayList<>();
        for (ClusterObject object : objects) {
            events.add(Messages.event(type, object));
        }
        return events;
    }

    private long count(Kind kind) {
        return kind.count(instance.clusterState().getStatus(GetStatusRequest.getDefaultInstance()));
    }
}
