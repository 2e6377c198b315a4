package io.evenkeel.engine;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.soft;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A few nodes hold many thousands of pods and most hold hardly any, so that counts lie far apart. */
final class CrowdedNodeTest {
    private static final int NODES = 150;
    private static final List<IncomingPod> PODS = List.of(
            web(soft(ZONE), soft(HOSTNAME)),
            web(soft(HOSTNAME)),
            web(hard(ZONE), soft(HOSTNAME)),
            web(soft("rack"), soft(HOSTNAME)),
            web(hard(HOSTNAME), soft(ZONE), soft(HOSTNAME)));

    private final EngineSubject engine = EngineLayout.DEFAULT.subject();
    private final ModelSubject model = new ModelSubject();
    private int pods;

    @AfterEach
    void index_isWhatARecountSays() {
        engine.validate();
    }

    /** How many pods are on some nodes of one zone. */
    static List<List<Integer>> crowds() {
        return List.of(List.of(20_000), List.of(9_000, 600, 257, 255), List.of(1_500, 1_300, 1_000, 800, 511, 300));
    }

    @ParameterizedTest
    @MethodSource("crowds")
    void answers_areThoseOfTheModel_ifCountsLieFarApart(List<Integer> podsOn) {
        Set<String> half = new HashSet<>();
        for (int node = 0; node < NODES; node++) {
            Map<String, String> labels = Map.of(ZONE, "z" + node % 3, "rack", "r" + node % 7, HOSTNAME, name(node));
            apply(new Step.NodeEvent(
                    Change.ADDED, new NodeObject(name(node), name(node), 1, labels, List.of(), false)));
            put(node % 4, node);
            if (node % 2 == 0) {
                half.add(name(node));
            }
        }
        for (int i = 0; i < podsOn.size(); i++) {
            put(podsOn.get(i), 6 * i);
        }
        mustAgree(null);
        mustAgree(half);
        put(1, 6);
        put(1, 0);
        mustAgree(null);
    }

    private void mustAgree(@Nullable Set<String> candidates) {
        for (IncomingPod pod : PODS) {
            ScriptedQuery query = new ScriptedQuery.Placement(pod, SpreadDefaults.NONE, candidates);
            assertEquals(model.ask(query), engine.ask(query), pod::toString);
        }
    }

    private void put(int count, int node) {
        for (int i = 0; i < count; i++) {
            String name = "pod-" + pods++;
            apply(new Step.PodEvent(
                    Change.ADDED, new PodObject(NAMESPACE, name, name, 1, WEB, name(node), false, false)));
        }
    }

    private void apply(Step step) {
        engine.apply(step);
        model.apply(step);
    }

    private static String name(int node) {
        return "node-" + node;
    }
}
