package io.evenkeel.placement.change;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Messages;
import io.evenkeel.placement.Queries;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fuzzes the messages of a {@code Sync} stream. The generated parser decides what they mean, and the index must be what
 * a recount says.
 */
final class SyncFuzz {
    /** The length of a message as two bytes, then the message; and again. */
    static Stream<byte[]> seeds() {
        SyncRequest begin = SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                .build();
        SyncRequest end = SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.getDefaultInstance())
                .build();
        List<ClusterObject> zones = Messages.zones(2, 1);
        ClusterObject moved = Messages.object(Messages.pod("z1-1", "z2"));
        ClusterObject service = ClusterObject.newBuilder()
                .setService(Service.getDefaultInstance())
                .build();
        return Stream.of(
                joined(begin, objects(zones), end),
                joined(begin, objects(zones.subList(0, 2)), end, events(List.of(moved)), begin, end),
                joined(begin, end, events(zones), events(List.of(service, ClusterObject.getDefaultInstance()))));
    }

    private static SyncRequest objects(List<ClusterObject> all) {
        return SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addAllObjects(all))
                .build();
    }

    private static SyncRequest events(List<ClusterObject> all) {
        Events.Builder events = Events.newBuilder();
        all.forEach(each -> events.addEvents(Messages.added(each)).addEvents(Messages.deleted(each)));
        return SyncRequest.newBuilder().setEvents(events).build();
    }

    private static byte[] joined(SyncRequest... messages) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (SyncRequest message : messages) {
            byte[] bytes = message.toByteArray();
            joined.write(bytes.length >>> 8);
            joined.write(bytes.length);
            joined.writeBytes(bytes);
        }
        return joined.toByteArray();
    }

    @MethodSource("seeds")
    @FuzzTest
    void messages_areReadAsParsed_andCounted(byte[] data) throws InvalidProtocolBufferException {
        ByteBuffer left = ByteBuffer.wrap(data);
        try (Instance instance = new Instance(InstanceOptions.standard());
                SyncSession session = instance.clusterState().sync()) {
            while (left.remaining() >= Short.BYTES) {
                byte[] message = new byte[Math.min(Short.toUnsignedInt(left.getShort()), left.remaining())];
                left.get(message);
                if (!ChangeScannerTest.assertReadAsParsed(message)
                        || !isAccepted(session, instance.clusterState().readSync(message))) {
                    break;
                }
                if (instance.clusterState().isReady()) {
                    // So that groups and plans exist while they change.
                    int answers = Queries.of(instance.placement())
                            .prepare(filter(web(hard(ZONE)), web(soft(HOSTNAME), soft(ZONE))))
                            .answer()
                            .getAnswersCount();
                    assertEquals(2, answers);
                }
            }
            IndexValidator.validate(instance.engine());
        }
    }

    /** Returns false if the step ends the stream. */
    private static boolean isAccepted(SyncSession session, SyncStep step) {
        SyncResponse response;
        try {
            response = session.handle(step);
        } catch (RequestException e) {
            return false;
        }
        for (Refusal refusal : response.getRefusalsList()) {
            ItemError error = refusal.getError();
            assertEquals(
                    error.getReason() == ErrorReason.ERROR_REASON_INVALID_FIELD,
                    error.getViolationsCount() > 0,
                    error.getMessage());
        }
        return true;
    }
}
