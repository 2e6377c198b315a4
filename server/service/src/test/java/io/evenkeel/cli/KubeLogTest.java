package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KindState;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Refusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that each change of a feed from an API server is logged in one line, and repetitions are not. */
final class KubeLogTest {
    private final List<String> lines = new ArrayList<>();
    private final KubeLog log = new KubeLog(lines::add);

    /** The lines that a change of the pod feed adds. */
    private List<String> changed(KindState.Phase phase, @Nullable String problem) {
        return changed(ObjectKind.POD, phase, problem);
    }

    private List<String> changed(ObjectKind kind, KindState.Phase phase, @Nullable String problem) {
        lines.clear();
        log.changed(new KindState(kind, phase, Instant.EPOCH, problem));
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
    void feed_isReportedOnceForEachChange() {
        assertEquals(List.of(), changed(KindState.Phase.CONNECTING, null));
        assertEquals(List.of(), changed(KindState.Phase.LISTING, null));
        assertEquals(List.of("kube: watching pods"), changed(KindState.Phase.WATCHING, null));
        assertEquals(List.of("kube: pods: A; retrying"), changed(KindState.Phase.WAITING, "A"));
        assertEquals(List.of(), changed(KindState.Phase.CONNECTING, "A"));
        assertEquals(List.of(), changed(KindState.Phase.WAITING, "A"));
        assertEquals(List.of("kube: pods: B; retrying"), changed(KindState.Phase.WAITING, "B"));
        assertEquals(List.of(), changed(KindState.Phase.CONNECTING, "B"));
        assertEquals(List.of(), changed(KindState.Phase.LISTING, "B"));
        assertEquals(List.of("kube: watching pods again"), changed(KindState.Phase.WATCHING, null));
        assertEquals(List.of(), changed(KindState.Phase.WATCHING, null));
        assertEquals(List.of("kube: pods: B; retrying"), changed(KindState.Phase.WAITING, "B"));
        assertEquals(List.of(), changed(KindState.Phase.STOPPED, "B"));
    }

    @Test
    void problemsOfKinds_areReportedForEachOfThem() {
        assertEquals(List.of("kube: pods: A; retrying"), changed(KindState.Phase.WAITING, "A"));
        assertEquals(List.of("kube: nodes: A; retrying"), changed(ObjectKind.NODE, KindState.Phase.WAITING, "A"));
        assertEquals(List.of(), changed(KindState.Phase.WAITING, "A"));
        assertEquals(List.of("kube: watching nodes again"), changed(ObjectKind.NODE, KindState.Phase.WATCHING, null));
    }

    @Test
    void refusal_isReportedOnce_untilItIsAnother() {
        assertEquals(List.of("kube: pods: shop/a was skipped: no room"), refused(ObjectKind.POD, "shop/a", "no room"));
        assertEquals(List.of(), refused(ObjectKind.POD, "shop/a", "no room"));
        assertEquals(List.of(), refused(ObjectKind.POD, "shop/b", "no room"));
        assertEquals(
                List.of("kube: pods: an object was skipped: no metadata"), refused(ObjectKind.POD, "", "no metadata"));
        assertEquals(List.of("kube: nodes: n was skipped: no room"), refused(ObjectKind.NODE, "n", "no room"));
    }
}
