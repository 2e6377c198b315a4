package io.evenkeel.lab.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.local.LocalEngine;
import io.evenkeel.loadtest.local.MatchingEvents;
import io.evenkeel.v1.Pod;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class EngineSideTest {
    private static final ClusterGenerator CLUSTER =
            new ClusterGenerator(ClusterShape.of(1, 60, 3_000).withSizes(WorkloadSizes.MANY)).withNodes(Resources::of);

    private final LocalEngine local = LocalEngine.holding(CLUSTER);
    private final EngineSide engine = new EngineSide(local);

    @AfterEach
    void close() {
        local.close();
    }

    @Test
    void answer_isOfTheClusterAsItWas_howeverManyEventsWentBetween() {
        PeerQuestion question = question(Spread.SOFT_ZONE_SOFT_HOSTNAME, List.of());
        PeerAnswer first = engine.ask(question, 1, 0);
        long pods = local.engine().status().pods();
        PeerAnswer later = engine.ask(question, 7, 100);
        assertEquals(first.codes(), later.codes());
        assertEquals(first.scores(), later.scores());
        assertEquals(pods, local.engine().status().pods());
        assertEquals(60, first.scores().size());
    }

    @Test
    void answer_isOfTheCandidatesAlone() {
        List<String> candidates = List.of("node-00003", "node-00008");
        PeerAnswer answer = engine.ask(question(Spread.HARD_ZONE_SOFT_HOSTNAME, candidates), 1, 0);
        assertEquals(Set.copyOf(candidates), answer.codes().keySet());
    }

    @Test
    void scores_areThere_onlyForWhatPassed_andIfThePodAsksSoftly() {
        PeerAnswer soft = engine.ask(question(Spread.HARD_ZONE_SOFT_HOSTNAME, List.of()), 1, 0);
        Set<String> passed = new HashSet<>();
        soft.codes().forEach((node, code) -> {
            if (code.equals("Success")) {
                passed.add(node);
            }
        });
        assertEquals(passed, soft.scores().keySet());
        assertNotEquals(60, passed.size());
        PeerAnswer hard = engine.ask(question(Spread.HARD_ZONE, List.of()), 1, 0);
        assertTrue(hard.scores().isEmpty());
    }

    @Test
    void copies_countOneAfterAnother_andOnlyInTheirQuestion() {
        Spread shape = Spread.SOFT_ZONE_SOFT_HOSTNAME;
        PeerQuestion question = new PeerQuestion(shape, shape.in(CLUSTER), List.of(), 50);
        PeerAnswer first = engine.ask(question, 1, 0);
        assertEquals(50, first.placed().size());
        assertTrue(new HashSet<>(first.placed()).size() > 10);
        assertFalse(first.placed().contains(""));
        assertEquals(first.placed(), engine.ask(question, 1, 0).placed());
    }

    @Test
    void events_moveTheAnswer_andAreReverted() {
        Pod pod = Spread.HARD_ZONE_HARD_HOSTNAME.in(CLUSTER);
        MatchingEvents events = new MatchingEvents(local.engine(), pod, local.nodes());
        long pods = local.engine().status().countedPods();
        events.next();
        assertEquals(pods + 1, local.engine().status().countedPods());
        events.next();
        assertEquals(pods, local.engine().status().countedPods());
        events.next();
        events.end();
        events.end();
        assertEquals(pods, local.engine().status().countedPods());
        IndexValidator.validate(local.engine());
    }

    private static PeerQuestion question(Spread shape, List<String> candidates) {
        return new PeerQuestion(shape, shape.in(CLUSTER), candidates, 0);
    }
}
