package io.evenkeel.engine;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import java.util.List;
import java.util.Map;

/**
 * A cluster of two zones with one node each, in an engine that keeps few plans. It is small, because each run of a
 * stress test makes one.
 */
public final class StressWorld {
    public static final IncomingPod BY_ZONE = World.web(World.hard(World.ZONE), World.soft(World.HOSTNAME));
    static final IncomingPod BY_HOST = World.web(World.hard(World.HOSTNAME));

    private static final Question BEST = Question.evaluate(NodeSubset.ALL, 1);

    /** Each hold does as little work as possible, except for holds that count pods. */
    private static final Slices SLICES = new Slices(() -> () -> true, Slices.PODS);

    public final SpreadEngine engine;

    /** Two nodes; one pod on the first, so that the second is the best for another. */
    public StressWorld(int maxPlans) {
        EngineOptions options = EngineOptions.defaults().withTombstones(8).withMaxPlans(maxPlans);
        engine = new SpreadEngine(options, System::nanoTime, Capacity.LARGEST, SLICES);
        engine.write(batch -> {
            batch.apply(Change.ADDED, node("z1"));
            batch.apply(Change.ADDED, node("z2"));
            batch.apply(Change.ADDED, pod(World.NAMESPACE, "first", "z1"));
        });
    }

    public static NodeObject node(String name) {
        return new NodeObject(name, name, 0, Map.of(World.ZONE, name, World.HOSTNAME, name), List.of(), false);
    }

    public static PodObject pod(String namespace, String name, String node) {
        return new PodObject(namespace, name, namespace + "/" + name, 0, World.WEB, node, false, false);
    }

    public PodPlan plan(IncomingPod pod) {
        return engine.plan(pod, SpreadDefaults.NONE);
    }

    /** The best node for a pod, by name. */
    public String best(IncomingPod pod) {
        Answer answer = new Answer();
        engine.evaluate(plan(pod), BEST, answer);
        return answer.bestCount() == 0 ? "none" : String.valueOf(answer.names().name(answer.best(0)));
    }

    /** Adds a pod, which stays. */
    public void add(PodObject pod) {
        engine.write(batch -> batch.apply(Change.ADDED, pod));
    }

    /** Recounts the index; returns "sound" if all counts agree. */
    public String recount() {
        try {
            IndexValidator.validate(engine);
            return "sound";
        } catch (RuntimeException | AssertionError e) {
            return String.valueOf(e.getMessage());
        }
    }
}
