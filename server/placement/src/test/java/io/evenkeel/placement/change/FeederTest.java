package io.evenkeel.placement.change;

import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Feeds;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RecentQueries;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests which of several feeders may start a snapshot, and what happens to the others. */
final class FeederTest {
    private static final Duration STALLED_AFTER = Duration.ofSeconds(30);
    private static final ObjectKind NODE = ObjectKind.OBJECT_KIND_NODE;
    private static final ObjectKind POD = ObjectKind.OBJECT_KIND_POD;

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final Feeds feeds = new Feeds(STALLED_AFTER, () -> this.now);
    private final EngineAccess access =
            new EngineAccess("here", "", engine, feeds, timer, Limits.DEFAULT, new RecentQueries(System::nanoTime));
    private long now = Long.MAX_VALUE - 1;

    @AfterEach
    void stop() {
        timer.shutdownNow();
        IndexValidator.validate(engine);
    }

    /** A feeder with a stream, which it reopens when it has ended. */
    private final class Client {
        private final String name;
        private final List<ErrorReason> ends = new ArrayList<>();
        private SyncSession session = open();

        Client(String name) {
            this.name = name;
        }

        private SyncSession open() {
            SyncSession opened =
                    new SyncSession(access, new Feeder(access, pending -> {}), Limits.DEFAULT, new TemplateCache());
            opened.whenTakenOver(why -> {
                ends.add(why.reason());
                opened.close();
            });
            return opened;
        }

        void reconnect() {
            session.close();
            session = open();
        }

        SyncResponse begin(ObjectKind... kinds) {
            return begin(begin -> begin.addAllKinds(List.of(kinds)));
        }

        SyncResponse takeOver(ObjectKind... kinds) {
            return begin(begin -> begin.addAllKinds(List.of(kinds)).setTakeover(true));
        }

        private SyncResponse begin(UnaryOperator<BeginSnapshot.Builder> options) {
            return session.handle(SyncRequest.newBuilder()
                    .setBeginSnapshot(options.apply(BeginSnapshot.newBuilder().setFeeder(name)))
                    .build());
        }

        SyncResponse objects(List<ClusterObject> objects) {
            return session.handle(SyncRequest.newBuilder()
                    .setObjects(Objects.newBuilder().addAllObjects(objects))
                    .build());
        }

        SyncResponse events(ClusterEvent... events) {
            return session.handle(SyncRequest.newBuilder()
                    .setEvents(Events.newBuilder().addAllEvents(List.of(events)))
                    .build());
        }

        SyncResponse end(ObjectKind... kinds) {
            EndSnapshot.Builder end = EndSnapshot.newBuilder();
            for (ObjectKind kind : kinds) {
                end.addKindsBuilder().setKind(kind);
            }
            return session.handle(SyncRequest.newBuilder().setEndSnapshot(end).build());
        }

        void snapshot(ObjectKind... kinds) {
            begin(kinds);
            end(kinds);
        }
    }

    private static ErrorReason refusal(Runnable call) {
        return assertThrows(RequestException.class, call::run).reason();
    }

    @Test
    void movingSnapshot_isNotInterrupted_byTakeoverNeither() {
        Client first = new Client("first");
        first.begin(NODE);
        for (Client other : List.of(new Client("first"), new Client("second"))) {
            for (int message = 0; message < 3; message++) {
                now += STALLED_AFTER.toNanos();
                assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY, refusal(() -> other.begin(NODE)));
                assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY, refusal(() -> other.takeOver(NODE)));
                assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY, refusal(other::begin));
                first.objects(List.of(object(node("node-" + message, "z1"))));
            }
        }
        first.end();
        assertEquals(List.of(), first.ends);
        assertEquals(3, engine.status().nodes());
    }

    @Test
    void stalledSnapshot_isGivenUp() {
        Client first = new Client("first");
        first.begin(NODE);
        first.objects(List.of(object(node("old", "z1"))));
        now += STALLED_AFTER.toNanos() + 1;
        assertEquals(ErrorReason.ERROR_REASON_FEEDER_ACTIVE, refusal(() -> new Client("second").begin(NODE)));
        Client again = new Client("first");
        again.begin(NODE);
        assertEquals(List.of(ErrorReason.ERROR_REASON_FEED_TAKEN_OVER), first.ends);
        assertEquals(ErrorReason.ERROR_REASON_FEED_TAKEN_OVER, refusal(first::end));
        assertEquals(1, again.end().getRemovedCount());
        assertEquals(0, engine.status().nodes());
    }

    /** Changes collected in this process are rejected like the messages of a stream. */
    @ParameterizedTest
    @EnumSource(
            value = Change.class,
            names = {"LISTED", "ADDED"})
    void gatheredChanges_areRefused_afterATakeover(Change change) throws InvalidProtocolBufferException {
        Client first = new Client("first");
        first.begin(NODE);
        now += STALLED_AFTER.toNanos() + 1;
        Client again = new Client("first");
        again.begin(NODE);
        KindChanges gathered = new KindChanges(io.evenkeel.engine.model.ObjectKind.NODE, 3, new TemplateCache());
        byte[] bytes = node("late", "z1").toByteArray();
        assertEquals(0, gathered.add(change, bytes, 0, bytes.length));
        assertEquals(ErrorReason.ERROR_REASON_FEED_TAKEN_OVER, refusal(() -> first.session.handle(gathered)));
        assertEquals(0, gathered.count());
        again.end();
        assertEquals(0, engine.status().nodes());
    }

    @Test
    void sameFeeder_beginsAgainAtOnce() {
        Client first = new Client("informer");
        first.snapshot();
        Client again = new Client("informer");
        again.snapshot();
        assertEquals(List.of(ErrorReason.ERROR_REASON_FEED_TAKEN_OVER), first.ends);
        assertEquals(
                ErrorReason.ERROR_REASON_FEED_TAKEN_OVER, refusal(() -> first.events(added(object(node("n", "z1"))))));
        assertEquals(0, engine.status().nodes());
        assertEquals(
                "informer", feeds.of(io.evenkeel.engine.model.ObjectKind.POD).feeder());
    }

    @Test
    void otherFeeder_isRefused_untilTheStreamEnds() {
        Client first = new Client("first");
        first.snapshot(POD);
        Client second = new Client("second");
        assertEquals(ErrorReason.ERROR_REASON_FEEDER_ACTIVE, refusal(second::begin));
        // Nothing was started, so the other kinds are free.
        second.snapshot(NODE);
        now += 2 * STALLED_AFTER.toNanos();
        assertEquals(ErrorReason.ERROR_REASON_FEEDER_ACTIVE, refusal(() -> second.begin(POD)));
        first.session.close();
        second.snapshot();
        assertEquals(List.of(), first.ends);
        assertEquals("second", feeds.of(io.evenkeel.engine.model.ObjectKind.POD).feeder());
    }

    @Test
    void takeover_endsTheOtherStream() {
        Client first = new Client("first");
        first.snapshot(POD);
        Client second = new Client("second");
        second.takeOver(POD);
        assertEquals(List.of(ErrorReason.ERROR_REASON_FEED_TAKEN_OVER), first.ends);
        assertEquals(
                ErrorReason.ERROR_REASON_FEED_TAKEN_OVER, refusal(() -> first.events(added(object(pod("p", "n"))))));
        second.end();
        assertEquals(ErrorReason.ERROR_REASON_FEEDER_ACTIVE, refusal(() -> {
            first.reconnect();
            first.begin(POD);
        }));
    }

    @Test
    void streamWhoseSnapshotMoves_losesNoOtherKindEither() {
        Client first = new Client("first");
        first.snapshot(POD);
        first.begin(NODE);
        Client second = new Client("second");
        assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY, refusal(() -> second.takeOver(POD)));
        first.end(NODE);
        second.takeOver(POD);
        assertEquals(List.of(ErrorReason.ERROR_REASON_FEED_TAKEN_OVER), first.ends);
    }

    @Test
    void twoThatRetry_bothComplete_inTurn() {
        for (boolean takeover : List.of(false, true)) {
            Client first = new Client("");
            Client second = new Client("");
            for (int round = 0; round < 5; round++) {
                for (List<Client> turn : List.of(List.of(first, second), List.of(second, first))) {
                    Client one = turn.get(0);
                    Client other = turn.get(1);
                    one.reconnect();
                    begin(one, takeover);
                    for (int message = 0; message < 3; message++) {
                        now += STALLED_AFTER.toNanos();
                        other.reconnect();
                        assertEquals(
                                ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY, refusal(() -> begin(other, takeover)));
                        one.objects(zones(message));
                    }
                    one.end();
                }
            }
            first.session.close();
            second.session.close();
        }
    }

    private static void begin(Client client, boolean takeover) {
        if (takeover) {
            client.takeOver();
        } else {
            client.begin();
        }
    }

    @Test
    void streamsOfSeveralKinds_overlap_andOneRelistLeavesTheOthersAlone() {
        Client nodes = new Client("nodes");
        Client pods = new Client("pods");
        nodes.begin(NODE);
        pods.begin(POD);
        nodes.objects(List.of(object(node("z1", "z1")), object(node("z2", "z2"))));
        pods.objects(List.of(object(pod("p", "z1")), object(pod("q", "z2"))));
        nodes.end();
        assertEquals(true, feeds.of(io.evenkeel.engine.model.ObjectKind.NODE).isReady());
        assertEquals(false, feeds.of(io.evenkeel.engine.model.ObjectKind.POD).isReady());
        pods.end();
        assertEquals(2, engine.status().countedPods());
        pods.begin(POD);
        pods.objects(List.of(object(pod("p", "z1"))));
        assertEquals(1, pods.end().getRemovedCount());
        assertEquals(
                List.of(2, 1), List.of(engine.status().nodes(), engine.status().pods()));
    }

    @Test
    void kindsOfOneStream_mayBeginAndEndApart() {
        Client client = new Client("");
        client.begin(NODE);
        client.begin(POD);
        client.objects(List.of(object(node("z1", "z1")), object(pod("p", "z1"))));
        client.end(NODE);
        assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED, refusal(() -> client.end(NODE)));
        assertEquals(0, client.end().getRemovedCount());
        assertEquals(1, engine.status().countedPods());
        assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED, refusal(client::end));
    }

    @Test
    void objectOfAKindThatTheSnapshotDoesNotCover_isRefused_andKeepsNothingElseBack() {
        Client client = new Client("");
        client.begin(NODE);
        SyncResponse response = client.objects(List.of(
                object(pod("p", "z1")), object(node("z1", "z1")), object(pod("", "z1")), object(pod("q", "z1"))));
        assertEquals(1, response.getAppliedCount());
        assertEquals(
                List.of(0, 2, 3),
                response.getRefusalsList().stream().map(Refusal::getPosition).toList());
        for (int position : List.of(0, 2)) {
            assertEquals(
                    ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                    response.getRefusals(position).getError().getReason());
        }
        assertEquals("shop/q", response.getRefusals(2).getObject());
        assertEquals(
                List.of(1, 0), List.of(engine.status().nodes(), engine.status().pods()));
    }

    @Test
    void eventOfAKindWithoutASnapshot_isRefused_fromAnyStream() {
        Client nodes = new Client("nodes");
        nodes.begin(NODE);
        Client other = new Client("other");
        SyncResponse response = other.events(added(object(node("z1", "z1"))), added(object(pod("p", "z1"))));
        assertEquals(1, response.getAppliedCount());
        assertEquals(1, response.getRefusals(0).getPosition());
        assertEquals(
                ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                response.getRefusals(0).getError().getReason());
        nodes.end();
        other.begin(POD);
        assertEquals(1, nodes.events(added(object(pod("p", "z1")))).getAppliedCount());
    }

    @Test
    void streamThatEnds_abandonsItsSnapshots_ofItsKindsOnly() {
        Client nodes = new Client("nodes");
        Client pods = new Client("pods");
        pods.begin(POD);
        pods.objects(List.of(object(pod("p", "z1"))));
        nodes.begin(NODE);
        nodes.session.close();
        assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED, refusal(nodes::end));
        pods.end();
        assertEquals(1, engine.status().pods());
        assertEquals(true, feeds.of(io.evenkeel.engine.model.ObjectKind.POD).isReady());
        assertEquals(false, feeds.of(io.evenkeel.engine.model.ObjectKind.NODE).isReady());
    }

    @Test
    void wrongFields_areNamed() {
        Client client = new Client("x".repeat(254));
        assertEquals("beginSnapshot.feeder", wrongField(client::begin));
        Client named = new Client("x".repeat(253));
        assertEquals("beginSnapshot.kinds[1]", wrongField(() -> named.begin(NODE, NODE)));
        assertEquals("beginSnapshot.kinds[0]", wrongField(() -> named.begin(ObjectKind.OBJECT_KIND_UNSPECIFIED)));
        assertEquals("beginSnapshot.kinds[0]", wrongField(() -> named.begin(begin -> begin.addKindsValue(8))));
        named.begin();
        assertEquals("endSnapshot.kinds[1].kind", wrongField(() -> named.end(POD, POD)));
        EndSnapshot.Builder end = EndSnapshot.newBuilder();
        end.addKindsBuilder().setKind(POD).setResourceVersion("7a");
        SyncRequest ends = SyncRequest.newBuilder().setEndSnapshot(end).build();
        assertEquals("endSnapshot.kinds[0].resourceVersion", wrongField(() -> named.session.handle(ends)));
        named.end(POD, NODE);
    }

    private static String wrongField(Runnable call) {
        RequestException refused = assertThrows(RequestException.class, call::run);
        assertEquals(ErrorReason.ERROR_REASON_INVALID_FIELD, refused.reason());
        return refused.violations().get(0).getField();
    }
}
