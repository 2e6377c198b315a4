package io.evenkeel.engine.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class IncomingPodTest {
    private static final PodSelector WEB = new PodSelector(List.of(LabelRequirement.equal("app", "web")));

    private static IncomingPod pod(Map<String, String> labels, SpreadConstraint... constraints) {
        return new IncomingPod(
                "shop",
                labels,
                Map.of("disk", "ssd"),
                null,
                List.of(),
                List.of(constraints),
                new ControllerRef("apps/v1", "StatefulSet", labels.getOrDefault("owner", "web")));
    }

    private static SpreadConstraint constraint(String... matchLabelKeys) {
        return new SpreadConstraint(1, "zone", true, WEB, List.of(matchLabelKeys), 0, true, false);
    }

    @Test
    void podsOfOneWorkload_areEqualOnceReduced() {
        assertEquals(
                pod(Map.of("app", "web", "index", "1", "owner", "a"), constraint())
                        .reduced(),
                pod(Map.of("app", "web", "index", "2", "owner", "b"), constraint())
                        .reduced());
    }

    @Test
    void labelThatASelectorNames_isKept() {
        assertEquals(
                Map.of("app", "mail"),
                pod(Map.of("app", "mail", "index", "1"), constraint()).reduced().labels());
        assertEquals(Map.of(), pod(Map.of("index", "1"), constraint()).reduced().labels());
    }

    @Test
    void labelOfMatchLabelKeys_isKept() {
        assertNotEquals(
                pod(Map.of("app", "web", "hash", "1"), constraint("hash")).reduced(),
                pod(Map.of("app", "web", "hash", "2"), constraint("hash")).reduced());
    }

    @Test
    void podThatMayGetDefaultConstraints_staysAsItIs() {
        IncomingPod pod = pod(Map.of("app", "web", "index", "1"));
        assertEquals(pod, pod.reduced());
    }

    @Test
    void whatElseAnswersDependOn_isKept() {
        IncomingPod pod = pod(Map.of("app", "web"), constraint());
        IncomingPod reduced = pod.reduced();
        assertEquals(pod.nodeSelector(), reduced.nodeSelector());
        assertEquals(pod.constraints(), reduced.constraints());
        assertEquals(pod.namespace(), reduced.namespace());
    }
}
