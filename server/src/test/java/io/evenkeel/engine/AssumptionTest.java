package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AssumptionTest {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    @Test
    void assume_countsTheLabelsToldLast_whenThePodIsKnownFromAnAssumptionAlone() {
        SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
        engine.write(writer -> {
            writer.apply(Change.ADDED, node("a"));
            writer.apply(Change.ADDED, node("b"));
            writer.assume(pod(Map.of("app", "old")), "a", null);
            writer.assume(pod(Map.of("app", "new")), "b", null);
        });
        assertEquals(List.of(0, 1), countsOf("new", engine));
        assertEquals(List.of(0, 0), countsOf("old", engine));
        engine.validate();
    }

    private static List<Integer> countsOf(String app, SpreadEngine engine) {
        SpreadConstraint constraint = new SpreadConstraint(
                1, HOSTNAME, true, LabelSelector.ofLabels(Map.of("app", app)), List.of(), 0, true, false);
        IncomingPod pod = new IncomingPod("shop", Map.of(), Map.of(), null, List.of(), List.of(constraint), null);
        PodPlan plan = engine.plan(pod, DefaultConstraints.NONE);
        return engine.explain(plan, Candidates.ALL, null, 100).constraints().get(0).domains().stream()
                .map(Explanation.DomainState::matchingPods)
                .toList();
    }

    private static NodeObject node(String name) {
        return new NodeObject(name, "uid-" + name, 1, Map.of(HOSTNAME, name), List.of(), false);
    }

    private static PodObject pod(Map<String, String> labels) {
        return new PodObject("shop", "web", "uid-web", 0, labels, "", false, false);
    }
}
