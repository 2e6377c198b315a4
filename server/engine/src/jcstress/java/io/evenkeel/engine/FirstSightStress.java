package io.evenkeel.engine;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * The pods of a new selector are counted in many slices, while pods that it matches move. Then its counts are compared,
 * at one revision, with those of an equivalent selector that was counted long ago. All runs share an engine, because it
 * has many pods.
 */
@JCStressTest
@Outcome(id = "equal", expect = Expect.ACCEPTABLE, desc = "Each pod was counted once: by a slice or by its event.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A pod was counted twice, or not at all.")
@State
public class FirstSightStress {
    private static final int PODS = 6_000;
    private static final int MOVES = 40;
    private static final AtomicInteger WORDS = new AtomicInteger();
    private static final StressWorld WORLD = crowded();

    private final int word = WORDS.incrementAndGet();

    private static StressWorld crowded() {
        StressWorld world = new StressWorld(16);
        world.engine.write(batch -> {
            for (int pod = 0; pod < PODS; pod++) {
                batch.apply(Change.ADDED, pod(pod, pod % 3));
            }
        });
        return world;
    }

    private static PodObject pod(int number, int node) {
        return StressWorld.pod(World.NAMESPACE, "pod-" + number, "z" + (node + 1));
    }

    @Actor
    public void see(L_Result result) {
        PodPlan fresh = WORLD.plan(asking("word-" + word));
        PodPlan known = WORLD.plan(asking("known"));
        int[][] scores = new int[2][];
        WORLD.engine.evaluate(
                List.of(fresh, known),
                Question.evaluate(NodeSubset.ALL, 0),
                new Answer(),
                (answer, place) -> scores[place] = new int[] {answer.passedCount(), answer.score(0), answer.score(1)},
                StopSignal.NEVER);
        result.r1 = Arrays.equals(scores[0], scores[1]) ? "equal" : Arrays.deepToString(scores);
    }

    @Actor
    public void move() {
        for (int i = 0; i < MOVES; i++) {
            int pod = (word * 31 + i * 151) % PODS;
            int node = (word + i) % 3;
            WORLD.engine.write(batch -> batch.apply(Change.MODIFIED, pod(pod, node)));
        }
    }

    /** A constraint that counts the pods of {@link World#WEB}, by a different selector for each word. */
    private static IncomingPod asking(String word) {
        LabelRequirement notSo = new LabelRequirement("word", LabelRequirement.Operator.NOT_IN, List.of(word));
        PodSelector selector = PodSelector.ofLabels(World.WEB).and(new PodSelector(List.of(notSo)));
        return World.web(
                new SpreadConstraint(1_000, World.ZONE, true, selector, List.of(), 0, true, false),
                new SpreadConstraint(1, World.ZONE, false, selector, List.of(), 0, true, false),
                new SpreadConstraint(1, World.HOSTNAME, false, selector, List.of(), 0, true, false));
    }
}
