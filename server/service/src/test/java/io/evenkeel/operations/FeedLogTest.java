package io.evenkeel.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.model.ObjectKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that each change of a feed is logged in one line. */
final class FeedLogTest {
    @Test
    void everyChange_isOneLine() {
        List<String> lines = new ArrayList<>();
        FeedLog log = new FeedLog((level, line) -> lines.add(level + " " + line), () -> false);
        log.snapshotBegun("a\nb", Set.of(ObjectKind.NODE));
        log.snapshotEnded("kube", Map.of(ObjectKind.NODE, 7L));
        log.snapshotEnded("", Map.of(ObjectKind.POD, 0L));
        log.ready(EnumSet.of(ObjectKind.NODE));
        log.ready(ObjectKind.OF_PLACEMENT);
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
                        "INFO feeder \"a\\u000ab\" started a snapshot: node",
                        "INFO feeder \"kube\" completed its snapshot: node at version 7",
                        "INFO unnamed feeder completed its snapshot: pod",
                        "INFO ready: node",
                        "INFO ready: pod, service, replicationcontroller, replicaset, statefulset; answering queries",
                        "INFO ready: poddisruptionbudget",
                        "WARNING feeder \"other\" took over node, pod from feeder \"kube\"",
                        "WARNING feeder \"kube\" disconnected: node, pod; serving the last known state"
                                + "; snapshot aborted: pod; the connection broke",
                        "WARNING no longer ready: pod; rejecting queries"),
                lines);
    }

    @Test
    void stop_endsAllFeeds_andWarnsOfNothing() {
        List<String> lines = new ArrayList<>();
        FeedLog log = new FeedLog((level, line) -> lines.add(level + " " + line), () -> true);
        log.ready(ObjectKind.ALL);
        log.streamEnded("kube", EnumSet.of(ObjectKind.NODE), EnumSet.noneOf(ObjectKind.class), "it was stopped");
        log.takenOver("kube", "other", EnumSet.of(ObjectKind.POD));
        log.ready(EnumSet.noneOf(ObjectKind.class));
        assertEquals(1, lines.size(), lines::toString);
    }
}
