package io.evenkeel.engine.estimate;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Fills trials in several ways, and remembers the best trial of each combination of new nodes. */
final class Evaluation {
    /** Attempts that start from nothing, each with its own policy; later ones change the best of the earlier. */
    private static final int POLICIES = 24;

    /** About 100 ms. */
    private static final long WORK = 3_000_000;

    final Ground ground;
    final List<OwnConstraints> own;
    private final boolean inOrder;
    private final Map<List<Integer>, Tried> tried = new HashMap<>();
    private long work = WORK;

    /** What the trials in {@code tried} take. */
    private long held;

    /** @param inOrder whether placements must be in an order that Filter admits */
    Evaluation(Ground ground, List<OwnConstraints> own, boolean inOrder) {
        this.ground = ground;
        this.own = own;
        this.inOrder = inOrder;
    }

    private record Tried(Trial best, int attempts) {}

    /** Whether all the work that is allowed is done. */
    boolean isOver() {
        return work <= 0;
    }

    /** Whether one attempt places as many pods as possible, because there is one shape with a rule that is exact. */
    boolean isExact() {
        return own.size() == 1 && own.get(0).isExact();
    }

    /** Counts a combination that was looked at, but not filled. */
    void spend(int[] newNodes) {
        work -= 20 + Arrays.stream(newNodes).sum() + ground.existing;
    }

    /**
     * The best of some attempts to place pods with these new nodes; fewer if {@code enough} pods are placed, and one if
     * it is {@link #isExact exact}.
     */
    Trial best(int[] newNodes, int enough, int attempts) {
        int most = isExact() ? 1 : attempts;
        List<Integer> key = IntStream.of(newNodes).boxed().toList();
        Tried before = tried.get(key);
        Trial best = before == null ? attempt(null, newNodes, 0) : before.best();
        int number = before == null ? 1 : before.attempts();
        while (number < most && best.placed() < enough && !isOver()) {
            Trial next = attempt(best, newNodes, number++);
            // An equal one is another start for the attempts that follow.
            if (next.placed() > best.placed() || next.placed() == best.placed() && number > POLICIES) {
                best = next;
            }
        }
        held += before == null ? best.bytes() : 0;
        if (!Problem.hasRoom(held)) {
            tried.clear();
            held = best.bytes();
        }
        tried.put(key, new Tried(best, number));
        return best;
    }

    private Trial attempt(@Nullable Trial best, int[] newNodes, int number) {
        Trial trial = best == null || number < POLICIES
                ? new Trial(ground, newNodes.clone())
                : Retry.of(best, own, number, inOrder);
        Policy policy = new Policy(ground, number);
        if (inOrder) {
            Fill.inOrder(trial, policy);
        } else {
            Fill.atOnce(trial, policy, own);
        }
        work -= trial.nodes() + 4L * trial.placed() + 50;
        return trial;
    }
}
