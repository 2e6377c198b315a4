package io.evenkeel.lab.peer;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.simulation.Schedule;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.loadtest.local.LocalEngine;
import io.evenkeel.loadtest.local.LocalSimulation;
import io.evenkeel.loadtest.local.MatchingEvents;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Evenkeel's side of the comparison: its engine in this process, called with a compiled plan. It answers by node index
 * (two bits and a score byte per node) into a reused answer object. A matching pod event, which is not timed, occurs
 * between any two calls, so that no answer can be cached.
 */
final class EngineSide {
    private static final int DIGITS = 3;
    private static final int ROUNDS = 20;

    private final LocalEngine local;
    private final List<String> nodes;

    EngineSide(LocalEngine local) {
        this.local = local;
        nodes = local.nodes();
    }

    /** The first nodes that may take the pod, at most {@code most}; if there are none, the first of all nodes. */
    List<String> firstPassed(Pod pod, int most) {
        Answer answer = new Answer();
        local.engine().evaluate(local.plan(pod), Question.filter(NodeSubset.ALL), answer);
        List<String> passed = new ArrayList<>();
        for (int index = 0; index < answer.names().limit() && passed.size() < most; index++) {
            String name = answer.names().name(index);
            if (name != null && answer.isPassed(index)) {
                passed.add(name);
            }
        }
        return passed.isEmpty() ? nodes.subList(0, Math.min(most, nodes.size())) : passed;
    }

    /**
     * The last answer, and the times of the calls.
     *
     * @param calls how many calls are timed, at least 1
     * @param warmup how many untimed calls are made first
     */
    PeerAnswer ask(PeerQuestion asked, int calls, int warmup) {
        return asked.copies() > 0 ? place(asked) : judge(asked, calls, warmup);
    }

    /** Places the copies in a fork, one call for each, and does so some times before. */
    private PeerAnswer place(PeerQuestion asked) {
        LocalSimulation simulation = new LocalSimulation(local.engine());
        PodPlan plan = simulation.plan(asked.pod());
        List<String> placed = List.of();
        Histogram times = new Histogram(DIGITS);
        for (int round = 0; round < ROUNDS; round++) {
            times.reset();
            simulation.fork();
            placed = place(simulation, plan, asked, times);
            simulation.revert();
        }
        return new PeerAnswer(
                Map.of(), Map.of(), placed, times.getValueAtPercentile(50), times.getValueAtPercentile(99));
    }

    private static List<String> place(LocalSimulation simulation, PodPlan plan, PeerQuestion asked, Histogram times) {
        List<String> placed = new ArrayList<>();
        for (int copy = 0; copy < asked.copies(); copy++) {
            List<ScheduledPods> item = List.of(simulation.item(plan, asked.pod(), 1, ""));
            long start = System.nanoTime();
            Schedule schedule = simulation.place(item);
            times.recordValue(System.nanoTime() - start);
            placed.add(String.join("", LocalSimulation.nodesOf(schedule)));
        }
        return placed;
    }

    private PeerAnswer judge(PeerQuestion asked, int calls, int warmup) {
        SpreadEngine engine = local.engine();
        PodPlan plan = local.plan(asked.pod());
        NodeSubset candidates = asked.candidates().isEmpty() ? NodeSubset.ALL : NodeSubset.named(asked.candidates());
        Question question = Question.evaluate(candidates, 0);
        MatchingEvents events = new MatchingEvents(engine, asked.pod(), nodes);
        Answer answer = new Answer();
        for (int i = 0; i < warmup; i++) {
            events.next();
            engine.evaluate(plan, question, answer);
        }
        Histogram times = new Histogram(DIGITS);
        for (int i = 0; i < calls; i++) {
            events.next();
            long start = System.nanoTime();
            engine.evaluate(plan, question, answer);
            times.recordValue(System.nanoTime() - start);
        }
        events.end();
        engine.evaluate(plan, question, answer);
        return answer(answer, times);
    }

    private PeerAnswer answer(Answer answer, Histogram times) {
        Map<String, String> codes = new HashMap<>();
        Map<String, Integer> scores = new HashMap<>();
        NodeNameTable names = answer.names();
        for (int index = 0; index < names.limit(); index++) {
            String name = names.name(index);
            if (name != null && answer.isCandidate(index)) {
                codes.put(name, answer.code(index).text());
                if (answer.isScored() && answer.isPassed(index)) {
                    scores.put(name, answer.score(index));
                }
            }
        }
        return new PeerAnswer(codes, scores, times.getValueAtPercentile(50), times.getValueAtPercentile(99));
    }
}
