package io.evenkeel.engine;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.soft;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.Step;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests an {@link Answer} that is used for several questions: earlier questions must not affect it. */
final class ReusedAnswerTest {
    private static final String RACK = "rack";

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
    private final ModelSubject model = new ModelSubject();
    private final Answer reused = new Answer();
    private int pods;

    @AfterEach
    void index_isWhatARecountSays() {
        IndexValidator.validate(engine);
    }

    @Test
    void everyNodeScores100_byAConstraintThatCountsNothing_afterFewNodesWereScoredByHostname() {
        for (int i = 0; i < 300; i++) {
            Map<String, String> labels = new HashMap<>(Map.of(ZONE, "z" + i % 3));
            if (i < 100) {
                labels.put(HOSTNAME, name(i));
            }
            node(i, labels);
        }
        for (int i = 0; i < 28; i++) {
            pods(i, i);
        }
        pods(0, 22);
        assertEquals(400, pods);
        mustScoreAsTheModel(web(soft(HOSTNAME)), NodeSubset.ALL);
        SpreadConstraint countsNothing = new SpreadConstraint(1, ZONE, false, null, List.of(), 0, true, false);
        mustScoreAsTheModel(web(countsNothing), NodeSubset.ALL);
        for (int i = 0; i < 300; i++) {
            assertEquals(100, reused.score(i), name(i));
        }
    }

    @Test
    void scoresByRack_areThoseOfTheModel_afterScoresByRackAndHostnameOfFewNodes() {
        for (int i = 0; i < 200; i++) {
            node(i, Map.of(RACK, "r" + i % 40, HOSTNAME, name(i)));
        }
        for (int i = 0; i < 60; i += 2) {
            pods(i, 1);
        }
        NodeSubset half = NodeSubset.named(
                IntStream.range(0, 100).mapToObj(ReusedAnswerTest::name).toList());
        IncomingPod byRackAndHostname = web(soft(RACK), soft(HOSTNAME));
        mustScoreAsTheModel(byRackAndHostname, half);
        pods(2, 1);
        mustScoreAsTheModel(byRackAndHostname, half);
        mustScoreAsTheModel(web(soft(RACK)), NodeSubset.ALL);
    }

    @Test
    void indexesBeyondTheNodeTable_scoreNothing_afterALargerTableWasScored() {
        for (int i = 0; i < 65; i++) {
            node(i, Map.of(ZONE, "z" + i % 2));
        }
        mustScoreAsTheModel(web(soft(ZONE)), NodeSubset.ALL);
        assertEquals(100, reused.score(64));
        apply(new Step.NodeEvent(
                Change.DELETED, new NodeObject(name(64), name(64), 2, Map.of(ZONE, "z0"), List.of(), false)));
        mustScoreAsTheModel(web(soft(ZONE)), NodeSubset.ALL);
        assertEquals(64, reused.names().limit());
        assertEquals(0, reused.score(64));
    }

    private void mustScoreAsTheModel(IncomingPod pod, NodeSubset candidates) {
        Collection<String> names = candidates == NodeSubset.ALL ? model.model().nodeNames() : candidates.names();
        Map<String, Integer> wanted = model.model().score(pod, SpreadDefaults.NONE, Overlay.NONE, names);
        assertEquals(wanted, scores(pod, candidates, new Answer()), "in fresh memory");
        assertEquals(wanted, scores(pod, candidates, reused), "in used memory");
    }

    private Map<String, Integer> scores(IncomingPod pod, NodeSubset candidates, Answer answer) {
        engine.evaluate(engine.plan(pod, SpreadDefaults.NONE), Question.score(candidates, 0), answer);
        Map<String, Integer> scores = new TreeMap<>();
        for (int i = 0; i < answer.names().limit(); i++) {
            if (answer.isCandidate(i)) {
                scores.put(name(i), answer.score(i));
            }
        }
        return scores;
    }

    private void node(int i, Map<String, String> labels) {
        apply(new Step.NodeEvent(Change.ADDED, new NodeObject(name(i), name(i), 1, labels, List.of(), false)));
    }

    private void pods(int node, int count) {
        for (int i = 0; i < count; i++) {
            String name = "pod-" + pods++;
            apply(new Step.PodEvent(
                    Change.ADDED, new PodObject(NAMESPACE, name, name, 1, WEB, name(node), false, false)));
        }
    }

    private void apply(Step step) {
        engine.write(writer -> EngineSubject.apply(step, writer, new AtomicLong()));
        model.apply(step);
    }

    private static String name(int node) {
        return "node-" + node;
    }
}
