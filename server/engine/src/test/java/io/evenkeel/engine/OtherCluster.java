package io.evenkeel.engine;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.soft;
import static io.evenkeel.engine.script.World.web;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A second cluster, whose answers are written into an answer object before a test uses it. It never changes, and has
 * more nodes than the tested clusters; few of them have pods.
 */
final class OtherCluster {
    private static final int NODES = 450;
    private static final String RACK = "rack";
    private static final OtherCluster ONE = new OtherCluster();

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
    private final List<PodPlan> plans;
    private final List<Question> questions;

    private OtherCluster() {
        engine.write(writer -> {
            for (int i = 0; i < NODES; i++) {
                writer.apply(Change.ADDED, new NodeObject(name(i), name(i), 1, labels(i), List.of(), false));
                for (int pod = 0; i < 60 && pod < i % 29; pod++) {
                    String uid = name(i) + "/" + pod;
                    writer.apply(Change.ADDED, new PodObject(NAMESPACE, uid, uid, 1, WEB, name(i), false, false));
                }
            }
        });
        SpreadConstraint countsNothing = new SpreadConstraint(1, ZONE, false, null, List.of(), 0, true, false);
        plans = List.of(
                        web(soft(HOSTNAME)),
                        web(soft(RACK), soft(HOSTNAME)),
                        web(soft(ZONE), soft(HOSTNAME)),
                        web(hard(ZONE), soft(RACK)),
                        web(soft("block")),
                        web(countsNothing, soft(ZONE), soft(RACK)),
                        web(hard(RACK), hard(HOSTNAME)))
                .stream()
                .map(pod -> engine.plan(pod, SpreadDefaults.NONE))
                .toList();
        NodeSubset some = NodeSubset.named(IntStream.range(0, NODES)
                .filter(i -> i % 3 != 0)
                .mapToObj(OtherCluster::name)
                .toList());
        questions = List.of(
                Question.score(NodeSubset.ALL, 5),
                Question.evaluate(some, 100),
                Question.best(NodeSubset.ALL, 3),
                Question.score(some, 0),
                Question.evaluate(NodeSubset.ALL, Integer.MAX_VALUE).under(EntryRules.ENTERABLE));
    }

    /** Fills {@code answer} with the answer to the question of this number. */
    static void ask(int number, Answer answer) {
        PodPlan plan = ONE.plans.get(Math.floorMod(number, ONE.plans.size()));
        ONE.engine.evaluate(plan, ONE.questions.get(Math.floorMod(number, ONE.questions.size())), answer);
    }

    private static Map<String, String> labels(int node) {
        Map<String, String> labels =
                new HashMap<>(Map.of(ZONE, "z" + node % 3, RACK, "r" + node % 40, "block", "b" + node % 150));
        if (node < 100 || node > 420) {
            labels.put(HOSTNAME, name(node));
        }
        return labels;
    }

    private static String name(int node) {
        return "other-" + node;
    }
}
