package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.placement.call.KindFeedState;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests what happens to objects between arrival and application. */
final class KindWriterTest {
    private static final int MAX_OBJECTS = 7;
    private static final int KEPT_AT_MOST = 256 << 10;

    private long now;
    private final Instance instance = new Instance(InstanceOptions.standard()
            .withClock(new InstanceClock(() -> now, () -> Instant.parse("2026-01-02T03:04:05Z"))));
    private final List<Refusal> refusals = new ArrayList<>();
    private final KindWriter writer = new KindWriter(
            ObjectKind.POD, instance.clusterState(), "test", MAX_OBJECTS, refusals::add, FedObjects.NOBODY);

    @AfterEach
    void close() {
        writer.close();
        instance.close();
    }

    private long pods() {
        return instance.clusterState()
                .getStatus(GetStatusRequest.getDefaultInstance())
                .getPodCount();
    }

    private KindFeedState state() {
        return instance.clusterState().feed(ObjectKind.POD);
    }

    private static byte[] pod(int number, long version) {
        return KubeWorld.object(ObjectKind.POD, number, 1, version);
    }

    /** A pod whose last field is truncated. */
    private static byte[] malformed(int length) {
        byte[] bytes = new byte[length];
        bytes[0] = 0x7a;
        Arrays.fill(bytes, 1, length, (byte) 0xff);
        return bytes;
    }

    private void list(byte[]... objects) {
        writer.beginSnapshot();
        for (byte[] object : objects) {
            writer.object(object, 0, object.length);
        }
        writer.endSnapshot(100);
    }

    @Test
    void listedObjects_areKept_whoseBytesAreWrittenOver() {
        writer.beginSnapshot();
        byte[] buffer = new byte[4_000];
        for (int i = 0; i < 30; i++) {
            byte[] pod = pod(i, i + 1);
            int at = i * 11;
            System.arraycopy(pod, 0, buffer, at, pod.length);
            writer.object(buffer, at, at + pod.length);
            Arrays.fill(buffer, (byte) 0xff);
        }
        writer.endSnapshot(100);
        assertEquals(List.of(), refusals);
        assertEquals(30, pods());
        // Each was applied as it arrived, so sending the same bytes again changes nothing.
        assertEquals(30, state().received().applied());
        list(IntStream.range(0, 30).mapToObj(i -> pod(i, i + 1)).toArray(byte[][]::new));
        assertEquals(30, pods());
        assertEquals(30, state().received().applied());
        assertEquals(30, state().received().unchanged());
    }

    @Test
    void keptBytes_areBounded_whateverTheObjectsAre() {
        writer.beginSnapshot();
        byte[] malformed = malformed(100_000);
        for (int i = 0; i < 20; i++) {
            writer.object(malformed, 0, malformed.length);
            assertTrue(writer.keptBytes() < KEPT_AT_MOST, () -> writer.keptBytes() + " kept");
        }
        assertEquals(20, refusals.size());
        byte[] pod = pod(1, 1);
        for (int i = 0; i < 20; i++) {
            writer.object(malformed, 0, malformed.length);
            writer.object(pod, 0, pod.length);
            assertTrue(writer.keptBytes() < KEPT_AT_MOST, () -> writer.keptBytes() + " kept");
        }
        writer.endSnapshot(100);
        assertEquals(0, writer.keptBytes());
        assertEquals(40, refusals.size());
        assertEquals(1, pods());
    }

    @Test
    void whatAStreamLeft_isNotAppliedByTheNext() {
        list(pod(1, 1));
        byte[] late = pod(2, 101);
        assertEquals(101, writer.event(Change.ADDED, late, 0, late.length));
        list(pod(1, 1));
        assertEquals(1, pods());
        writer.beginSnapshot();
        writer.object(late, 0, late.length);
        list(pod(1, 1));
        assertEquals(1, pods());
        writer.event(Change.ADDED, late, 0, late.length);
        writer.send();
        assertEquals(2, pods());
    }

    @Test
    void eventsOfOneObject_areAppliedInOrder_aroundOneThatIsMalformed() {
        list(pod(1, 1));
        byte[] malformed = malformed(300);
        byte[] added = pod(2, 101);
        byte[] deleted = pod(2, 103);
        byte[] again = pod(3, 104);
        assertEquals(101, writer.event(Change.ADDED, added, 0, added.length));
        assertEquals(0, writer.event(Change.MODIFIED, malformed, 0, malformed.length));
        assertEquals(103, writer.event(Change.DELETED, deleted, 0, deleted.length));
        assertEquals(104, writer.event(Change.ADDED, again, 0, again.length));
        assertEquals(1, pods(), "nothing is applied before it is sent");
        writer.send();
        assertEquals(2, pods());
        assertEquals(1, refusals.size());
        assertEquals(1, state().refused());
    }

    @Test
    void status_reportsHowLongAgoTheFeedWasReported_byTheServersOwnClock() {
        now += Duration.ofSeconds(1).toNanos();
        list(pod(1, 1));
        assertEquals(Duration.ZERO, age());
        now += Duration.ofSeconds(2).toNanos();
        assertEquals(Duration.ofSeconds(2), age());
        byte[] next = pod(2, 101);
        assertEquals(101, writer.event(Change.ADDED, next, 0, next.length));
        writer.send();
        now += Duration.ofMillis(300).toNanos();
        assertEquals(Duration.ofMillis(300), age());
        writer.bookmark(105);
        writer.send();
        now += Duration.ofMillis(40).toNanos();
        assertEquals(Duration.ofMillis(40), age());
        writer.close();
        now += Duration.ofSeconds(5).toNanos();
        assertEquals(Duration.ofMillis(5_040), age());
    }

    private Duration age() {
        com.google.protobuf.Duration age = instance.clusterState()
                .getStatus(GetStatusRequest.getDefaultInstance())
                .getKinds(ObjectKind.POD.ordinal())
                .getAge();
        return Duration.ofSeconds(age.getSeconds(), age.getNanos());
    }

    @Test
    void closedWriter_takesNothingMore() {
        list(pod(1, 1));
        byte[] late = pod(2, 101);
        writer.event(Change.ADDED, late, 0, late.length);
        writer.close();
        writer.send();
        assertEquals(1, pods());
        writer.event(Change.ADDED, late, 0, late.length);
        assertThrows(IllegalStateException.class, writer::send);
        assertThrows(IllegalStateException.class, writer::beginSnapshot);
        assertEquals(1, pods());
    }
}
