package io.evenkeel.placement.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.objects.ApiProtobuf;
import io.evenkeel.objects.RealFiles;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.objects.WireMutations;
import io.evenkeel.placement.Messages;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.SyncRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that changes read from the bytes of a message equal those of the parsed message. */
final class ChangeScannerTest {
    private static final int MAX_CHANGES = 5_000;
    private static final TemplateCache TEMPLATES = new TemplateCache();
    private static final int MUTATIONS = 20_000;
    private static final Parser<SyncRequest> PARSER = DiscardUnknownFieldsParser.wrap(SyncRequest.parser());

    @Test
    void messages_wholeAndTamperedWith_areReadAsParsed() throws IOException {
        List<byte[]> messages = List.of(
                SyncRequest.newBuilder().setObjects(objects()).build().toByteArray(),
                SyncRequest.newBuilder().setEvents(events()).build().toByteArray(),
                merged(
                        SyncRequest.newBuilder().setEvents(events()).build(),
                        SyncRequest.newBuilder().setObjects(objects()).build(),
                        SyncRequest.newBuilder().setObjects(objects()).build()),
                merged(
                        SyncRequest.newBuilder().setObjects(objects()).build(),
                        SyncRequest.newBuilder().setEvents(events()).build(),
                        SyncRequest.newBuilder().setObjects(objects()).build(),
                        SyncRequest.newBuilder()
                                .setEndSnapshot(EndSnapshot.getDefaultInstance())
                                .build()));
        for (byte[] message : messages) {
            assertReadAsParsed(message);
        }
        Random random = new Random(11);
        int read = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            read += assertReadAsParsed(WireMutations.mutated(messages.get(i % messages.size()), random)) ? 1 : 0;
        }
        assertTrue(read > MUTATIONS / 100, read + " read");
    }

    @Test
    void objectInSeveralPieces_isMergedAsParsed() throws IOException {
        ClusterObject pod =
                ClusterObject.newBuilder().setPod(Messages.pod("p", "z1")).build();
        ClusterObject piece = ClusterObject.newBuilder()
                .setPod(Pod.newBuilder().setMetadata(ObjectMeta.newBuilder().setName("renamed")))
                .build();
        ClusterObject service = ClusterObject.newBuilder()
                .setService(
                        Service.newBuilder().setMetadata(ObjectMeta.newBuilder().setUid("s")))
                .build();
        for (byte[] object : List.of(
                merged(pod, piece),
                merged(pod, service, piece),
                merged(pod, service),
                merged(service, pod),
                merged(service, piece, service))) {
            for (int type = 0; type <= 4; type++) {
                byte[] typed =
                        ClusterEvent.newBuilder().setTypeValue(type).build().toByteArray();
                byte[] other = ClusterEvent.newBuilder().setObject(pod).build().toByteArray();
                byte[] pieces = field(ClusterEvent.OBJECT_FIELD_NUMBER, object);
                assertReadAsParsed(syncOf(typed, pieces));
                assertReadAsParsed(syncOf(pieces, typed));
                assertReadAsParsed(syncOf(other, pieces, typed, other));
            }
            assertReadAsParsed(field(SyncRequest.OBJECTS_FIELD_NUMBER, field(Objects.OBJECTS_FIELD_NUMBER, object)));
        }
    }

    /** A message with one event, whose bytes are these pieces. */
    private static byte[] syncOf(byte[]... pieces) throws IOException {
        ByteArrayOutputStream event = new ByteArrayOutputStream();
        for (byte[] piece : pieces) {
            event.write(piece);
        }
        return field(SyncRequest.EVENTS_FIELD_NUMBER, field(Events.EVENTS_FIELD_NUMBER, event.toByteArray()));
    }

    private static byte[] field(int number, byte[] value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeByteArray(number, value);
        out.flush();
        return bytes.toByteArray();
    }

    /** A standalone object is read like the same object in a message. */
    @Test
    void bareObjects_wholeAndTamperedWith_areReadAsInAMessage() throws IOException {
        List<ClusterObject> objects = new ArrayList<>(objects().getObjectsList());
        objects.add(Messages.object(Messages.node("n1", "z1")));
        objects.removeIf(object -> object.getObjectCase() == ClusterObject.ObjectCase.OBJECT_NOT_SET);
        Random random = new Random(12);
        int read = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            ClusterObject object = objects.get(i % objects.size());
            int field = object.getObjectCase().getNumber();
            byte[] whole =
                    ((Message) object.getField(ClusterObject.getDescriptor().findFieldByNumber(field))).toByteArray();
            byte[] bare = i < objects.size() ? whole : WireMutations.mutated(whole, random);
            read += assertReadAsInAMessage(object.getObjectCase(), bare) ? 1 : 0;
        }
        assertTrue(read > MUTATIONS / 100, read + " read");
    }

    /** Returns whether the object parses. */
    private static boolean assertReadAsInAMessage(ClusterObject.ObjectCase kind, byte[] bare) throws IOException {
        byte[] message = field(
                SyncRequest.OBJECTS_FIELD_NUMBER, field(Objects.OBJECTS_FIELD_NUMBER, field(kind.getNumber(), bare)));
        String hex = HexFormat.of().formatHex(bare);
        // It is surrounded by other bytes.
        byte[] bytes = new byte[bare.length + 7];
        System.arraycopy(bare, 0, bytes, 3, bare.length);
        KindChanges gathered =
                new KindChanges(io.evenkeel.engine.model.ObjectKind.valueOf(kind.name()), MAX_CHANGES, TEMPLATES);
        ChangeList expected;
        try {
            expected = SyncStep.read(message, MAX_CHANGES, TEMPLATES).changes();
        } catch (InvalidProtocolBufferException e) {
            assertThrows(
                    InvalidProtocolBufferException.class,
                    () -> gathered.add(Change.LISTED, bytes, 3, 3 + bare.length),
                    hex);
            assertEquals(0, gathered.count(), hex);
            return false;
        }
        gathered.add(Change.LISTED, bytes, 3, 3 + bare.length);
        assertTrue(gathered.areListed());
        ChangeList taken = gathered.take();
        assertEquals(expected.count(), taken.count(), hex);
        assertEquals(expected.refusals(), taken.refusals(), hex);
        assertEquals(expected.accepted().size(), taken.accepted().size(), hex);
        for (int i = 0; i < taken.accepted().size(); i++) {
            ObjectChange one = expected.accepted().get(i);
            ObjectChange other = taken.accepted().get(i);
            assertEquals(one.object(), other.object(), hex);
            assertEquals(one.version(), other.version(), hex);
            assertEquals(one.kind(), other.kind(), hex);
            assertEquals(one.pending(), other.pending(), hex);
            if (one instanceof ObjectChange.OfNode || one instanceof ObjectChange.OfNamespaced) {
                assertEquals(one, other, hex);
            }
        }
        assertEquals(0, gathered.count(), "after it was taken");
        return true;
    }

    @Test
    void objectsOfASnapshotAndEvents_areNotGatheredTogether() throws IOException {
        byte[] pod = Messages.pod("p", "z1").toByteArray();
        KindChanges gathered = new KindChanges(io.evenkeel.engine.model.ObjectKind.POD, 2, TEMPLATES);
        gathered.add(Change.ADDED, pod, 0, pod.length);
        assertThrows(IllegalStateException.class, () -> gathered.add(Change.LISTED, pod, 0, pod.length));
        gathered.addBookmark(7);
        assertEquals(2, gathered.count());
        assertThrows(IllegalStateException.class, () -> gathered.addBookmark(8), "more than the most");
        gathered.clear();
        gathered.add(Change.LISTED, pod, 0, pod.length);
        assertThrows(IllegalStateException.class, () -> gathered.addBookmark(9));
    }

    @Test
    void changesBeyondTheMost_areOnlyCounted() throws InvalidProtocolBufferException {
        Events.Builder events = Events.newBuilder();
        for (int i = 0; i < MAX_CHANGES + 5; i++) {
            events.addEvents(Messages.added(Messages.object(Messages.pod("p" + i, "z1"))));
            events.addEvents(ClusterEvent.getDefaultInstance());
        }
        ChangeList changes = SyncStep.read(
                        SyncRequest.newBuilder().setEvents(events).build().toByteArray(), MAX_CHANGES, TEMPLATES)
                .changes();
        assertEquals(2 * (MAX_CHANGES + 5), changes.count());
        assertEquals(MAX_CHANGES / 2, changes.accepted().size());
        assertEquals(MAX_CHANGES / 2, changes.refusals().size());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void stepsThatAreLeftAndEnteredAgain_areReadAsByTheGeneratedParser(long seed) throws IOException {
        RandomChoices dice = new RandomChoices(seed);
        List<SyncRequest> pieces = List.of(
                SyncRequest.newBuilder()
                        .setBeginSnapshot(
                                BeginSnapshot.newBuilder().setFeeder("a").addKinds(ObjectKind.OBJECT_KIND_POD))
                        .build(),
                SyncRequest.newBuilder()
                        .setBeginSnapshot(BeginSnapshot.newBuilder().setTakeover(true))
                        .build(),
                SyncRequest.newBuilder()
                        .setEndSnapshot(EndSnapshot.newBuilder()
                                .addKinds(KindVersion.newBuilder().setResourceVersion("7")))
                        .build(),
                SyncRequest.newBuilder()
                        .setObjects(Objects.newBuilder().addObjects(Messages.object(Messages.pod("p", "z1"))))
                        .build(),
                SyncRequest.newBuilder()
                        .setEvents(Events.newBuilder()
                                .addEvents(Messages.added(Messages.object(Messages.node("n", "z1")))))
                        .build());
        for (int round = 0; round < 500; round++) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int i = dice.between(1, 6); i > 0; i--) {
                bytes.writeBytes(dice.pick(pieces).toByteArray());
            }
            assertTrue(assertReadAsParsed(bytes.toByteArray()));
        }
    }

    /** Merging messages would keep the earlier values. */
    @Test
    void defaultsInALaterPieceOfAStep_replaceEarlierValues() throws IOException {
        BeginSnapshot begin =
                BeginSnapshot.newBuilder().setFeeder("a").setTakeover(true).build();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(field(SyncRequest.BEGIN_SNAPSHOT_FIELD_NUMBER, begin.toByteArray()));
        bytes.writeBytes(field(SyncRequest.BEGIN_SNAPSHOT_FIELD_NUMBER, new byte[] {
            (byte) WireCursor.delimited(BeginSnapshot.FEEDER_FIELD_NUMBER),
            0,
            (byte) WireCursor.varint(BeginSnapshot.TAKEOVER_FIELD_NUMBER),
            0
        }));
        assertTrue(assertReadAsParsed(bytes.toByteArray()));
    }

    /** Returns whether the message parses. */
    static boolean assertReadAsParsed(byte[] bytes) {
        String hex = HexFormat.of().formatHex(bytes);
        SyncRequest parsed;
        try {
            parsed = PARSER.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            assertThrows(InvalidProtocolBufferException.class, () -> SyncStep.read(bytes, MAX_CHANGES, TEMPLATES), hex);
            return false;
        }
        SyncStep read;
        try {
            read = SyncStep.read(bytes, MAX_CHANGES, TEMPLATES);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(hex + " parses", e);
        }
        assertEquals(parsed.getStepCase(), read.step(), hex);
        assertEquals(
                parsed.getObjects().getObjectsCount() + parsed.getEvents().getEventsCount(),
                isChange(read) ? read.changes().count() : 0,
                hex);
        if (!isChange(read)) {
            assertEquals(parsed, read.bounds(), hex);
            return true;
        }
        // Each must be read alone as it is among the others.
        List<Refusal> refusals = new ArrayList<>();
        int accepted = 0;
        int position = 0;
        for (ClusterObject object : parsed.getObjects().getObjectsList()) {
            accepted += single(Objects.newBuilder().addObjects(object).build(), position++, refusals);
        }
        for (ClusterEvent event : parsed.getEvents().getEventsList()) {
            accepted += single(Events.newBuilder().addEvents(event).build(), position++, refusals);
        }
        assertEquals(refusals, read.changes().refusals(), hex);
        assertEquals(accepted, read.changes().accepted().size(), hex);
        return true;
    }

    private static boolean isChange(SyncStep step) {
        return step.step() == SyncRequest.StepCase.OBJECTS || step.step() == SyncRequest.StepCase.EVENTS;
    }

    private static int single(Message message, int position, List<Refusal> refusals) {
        SyncRequest.Builder request = SyncRequest.newBuilder();
        if (message instanceof Objects objects) {
            request.setObjects(objects);
        } else {
            request.setEvents((Events) message);
        }
        try {
            ChangeList alone = SyncStep.read(request.build().toByteArray(), MAX_CHANGES, TEMPLATES)
                    .changes();
            alone.refusals()
                    .forEach(each ->
                            refusals.add(each.toBuilder().setPosition(position).build()));
            return alone.accepted().size();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("a message that was parsed parses", e);
        }
    }

    private static byte[] merged(Message... pieces) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Message piece : pieces) {
            piece.writeTo(bytes);
        }
        return bytes.toByteArray();
    }

    private static Objects objects() throws IOException {
        Objects.Builder objects = Objects.newBuilder();
        for (Message pod : ApiProtobuf.objects(RealFiles.read("before.pods.pb.gz"), Pod.getDefaultInstance())
                .subList(0, 3)) {
            objects.addObjects(ClusterObject.newBuilder().setPod((Pod) pod));
        }
        return objects.addObjects(Messages.object(Messages.node("z1", "z1")))
                .addObjects(ClusterObject.getDefaultInstance())
                .addObjects(Messages.object(Messages.pod("", "z1")))
                .addObjects(ClusterObject.newBuilder().setService(Service.getDefaultInstance()))
                .build();
    }

    private static Events events() throws IOException {
        Events.Builder events = Events.newBuilder();
        int type = 0;
        for (ClusterObject object : objects().getObjectsList()) {
            events.addEvents(ClusterEvent.newBuilder().setTypeValue(type++ % 5).setObject(object));
        }
        return events.build();
    }
}
