package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KindState;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that each change of a feed from an API server is logged in one line, and repetitions are rare. */
final class KubeLogTest {
    private Instant now = Instant.EPOCH;
    private final List<String> lines = new ArrayList<>();
    private final KubeLog log = new KubeLog((level, line) -> lines.add(level + " " + line));

    /** The lines that a change of the pod feed adds. */
    private List<String> changed(KindState.Phase phase, @Nullable String problem) {
        return changed(ObjectKind.POD, phase, problem);
    }

    private List<String> changed(ObjectKind kind, KindState.Phase phase, @Nullable String problem) {
        lines.clear();
        log.changed(new KindState(kind, phase, now, problem));
        return List.copyOf(lines);
    }

    private List<String> refused(ObjectKind kind, String object, String why) {
        lines.clear();
        log.refused(
                kind,
                Refusal.newBuilder()
                        .setObject(object)
                        .setError(ItemError.newBuilder().setMessage(why))
                        .build());
        return List.copyOf(lines);
    }

    @Test
    void outage_isReportedWhenItBeginsAndEnds() {
        assertEquals(List.of(), changed(KindState.Phase.CONNECTING, null));
        assertEquals(List.of(), changed(KindState.Phase.LISTING, null));
        assertEquals(List.of("INFO kube: watching pods"), changed(KindState.Phase.WATCHING, null));
        assertEquals(List.of("WARNING kube: pods: A; retrying"), changed(KindState.Phase.WAITING, "A"));
        assertEquals(List.of(), changed(KindState.Phase.CONNECTING, "A"));
        assertEquals(List.of(), changed(KindState.Phase.WAITING, "A"));
        assertEquals(List.of("WARNING kube: pods: B; retrying"), changed(KindState.Phase.WAITING, "B"));
        assertEquals(List.of(), changed(KindState.Phase.CONNECTING, "B"));
        assertEquals(List.of(), changed(KindState.Phase.WAITING, "A"));
        assertEquals(List.of(), changed(KindState.Phase.LISTING, "B"));
        assertEquals(List.of("INFO kube: watching pods again"), changed(KindState.Phase.WATCHING, null));
        assertEquals(List.of(), changed(KindState.Phase.WATCHING, null));
        assertEquals(List.of("WARNING kube: pods: B; retrying"), changed(KindState.Phase.WAITING, "B"));
        assertEquals(List.of(), changed(KindState.Phase.STOPPED, "B"));
    }

    @Test
    void outageThatLasts_isReportedMoreAndMoreRarely_withItsLastProblem() {
        assertEquals(1, changed(KindState.Phase.WAITING, "A").size());
        assertEquals(1, changed(KindState.Phase.WAITING, "B").size());
        List<Long> minutes = new ArrayList<>();
        for (int minute = 1; minute <= 200; minute++) {
            now = now.plus(Duration.ofMinutes(1));
            List<String> logged = changed(KindState.Phase.WAITING, minute % 2 == 0 ? "A" : "B");
            if (!logged.isEmpty()) {
                assertEquals(List.of("WARNING kube: pods: still failing: " + (minute % 2 == 0 ? "A" : "B")), logged);
                minutes.add((long) minute);
            }
        }
        assertEquals(List.of(5L, 15L, 35L, 75L, 135L, 195L), minutes);
    }

    @Test
    void lostConnection_isOneReason_howeverItIsLost() {
        assertEquals(
                1, changed(KindState.Phase.WAITING, "no connection to a: reset").size());
        assertEquals(List.of(), changed(KindState.Phase.WAITING, "no connection to a: refused"));
        assertEquals(List.of(), changed(ObjectKind.NODE, KindState.Phase.WAITING, "no connection to a: closed"));
        assertEquals(
                List.of("WARNING kube: nodes: a returned 401; retrying"),
                changed(ObjectKind.NODE, KindState.Phase.WAITING, "a returned 401"));
    }

    @Test
    void kindsThatFailForTheSameReason_shareAnOutage() {
        assertEquals(List.of("WARNING kube: pods: A; retrying"), changed(KindState.Phase.WAITING, "A"));
        assertEquals(List.of(), changed(ObjectKind.NODE, KindState.Phase.WAITING, "A"));
        assertEquals(
                List.of("WARNING kube: services: no right; retrying"),
                changed(ObjectKind.SERVICE, KindState.Phase.WAITING, "no right"));
        assertEquals(List.of(), changed(KindState.Phase.WATCHING, null));
        assertEquals(
                List.of("INFO kube: watching nodes, pods again"),
                changed(ObjectKind.NODE, KindState.Phase.WATCHING, null));
        assertEquals(
                List.of("INFO kube: watching services again"),
                changed(ObjectKind.SERVICE, KindState.Phase.WATCHING, null));
    }

    @Test
    void refusal_isReportedOnce_untilItIsAnother() {
        assertEquals(
                List.of("WARNING kube: pods: shop/a was skipped: no room"),
                refused(ObjectKind.POD, "shop/a", "no room"));
        assertEquals(List.of(), refused(ObjectKind.POD, "shop/a", "no room"));
        assertEquals(List.of(), refused(ObjectKind.POD, "shop/b", "no room"));
        assertEquals(
                List.of("WARNING kube: pods: an object was skipped: no metadata"),
                refused(ObjectKind.POD, "", "no metadata"));
        assertEquals(List.of("WARNING kube: nodes: n was skipped: no room"), refused(ObjectKind.NODE, "n", "no room"));
    }
}
