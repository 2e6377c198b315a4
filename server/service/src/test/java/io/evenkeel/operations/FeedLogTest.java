package io.evenkeel.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.model.ObjectKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that each change of a feed is one line. */
final class FeedLogTest {
    @Test
    void everyChange_isOneLine() {
        List<String> lines = new ArrayList<>();
        FeedLog log = new FeedLog(lines::add, () -> false);
        log.snapshotBegun("a\nb", Set.of(ObjectKind.NODE));
        log.snapshotEnded("kube", Map.of(ObjectKind.NODE, 7L));
        log.snapshotEnded("", Map.of(ObjectKind.POD, 0L));
        log.ready(EnumSet.of(ObjectKind.NODE));
        log.ready(ObjectKind.ALL);
        log.takenOver("kube", "other", EnumSet.of(ObjectKind.NODE, ObjectKind.POD));
        log.streamEnded(
                "kube",
                EnumSet.of(ObjectKind.NODE, ObjectKind.POD),
                EnumSet.of(ObjectKind.POD),
                "the connection broke");
        log.ready(EnumSet.complementOf(EnumSet.of(ObjectKind.POD)));
        assertEquals(
                List.of(
                        "the feeder \"a\\u000ab\" has begun a snapshot of node",
                        "the feeder \"kube\" has completed the snapshot of node at version 7",
                        "a feeder without a name has completed the snapshot of pod",
                        "ready now: node",
                        "ready now: pod, service, replicationcontroller, replicaset, statefulset; queries are answered",
                        "warning: the feeder \"other\" has taken over node, pod from the feeder \"kube\"",
                        "warning: the feeder \"kube\" has ended and feeds no more: node, pod; the last state keeps"
                                + " answering; broken off was the snapshot of pod; the connection broke",
                        "warning: not ready any more: pod; queries are refused"),
                lines);
    }

    @Test
    void stop_endsAllFeeds_andWarnsOfNothing() {
        List<String> lines = new ArrayList<>();
        FeedLog log = new FeedLog(lines::add, () -> true);
        log.ready(ObjectKind.ALL);
        log.streamEnded("kube", EnumSet.of(ObjectKind.NODE), EnumSet.noneOf(ObjectKind.class), "it was stopped");
        log.takenOver("kube", "other", EnumSet.of(ObjectKind.POD));
        log.ready(EnumSet.noneOf(ObjectKind.class));
        assertEquals(1, lines.size(), lines::toString);
    }
}
