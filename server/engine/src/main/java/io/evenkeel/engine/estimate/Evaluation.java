package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fills trials by several policies, and remembers the best trial of each combination of new nodes. */
final class Evaluation {
    private static final int POLICIES = 200;

    final Ground ground;
    final List<OwnConstraints> own;
    private final boolean inOrder;
    private final Map<List<Integer>, Trial> best = new HashMap<>();
    private long work;

    /** @param inOrder whether placements must be in an order that Filter admits */
    Evaluation(Ground ground, List<OwnConstraints> own, boolean inOrder, long work) {
        this.ground = ground;
        this.own = own;
        this.inOrder = inOrder;
        this.work = work;
    }

    boolean isOver() {
        return work <= 0;
    }

    /** Counts a combination that was looked at, but not filled. */
    void spend(int[] newNodes) {
        work -= 20 + Arrays.stream(newNodes).sum() + ground.existing;
    }

    /**
     * A trial with these new nodes that places as many pods as any policy can; stops when {@code enough} are placed.
     */
    Trial best(int[] newNodes, int enough, int policyCount) {
        List<Integer> key = new ArrayList<>();
        for (int nodes : newNodes) {
            key.add(nodes);
        }
        @Nullable Trial found = best.get(key);
        if (found != null && (found.placed() >= enough || policyCount == 1)) {
            return found;
        }
        for (int number = 0; number < Math.min(policyCount, POLICIES) && (number == 0 || !isOver()); number++) {
            Trial trial = new Trial(ground, newNodes.clone());
            if (inOrder) {
                Fill.inOrder(trial, new Policy(ground, number));
            } else {
                Fill.atOnce(trial, new Policy(ground, number), own);
            }
            work -= trial.nodes() + 4L * trial.placed() + 50;
            if (found == null || trial.placed() > found.placed()) {
                found = trial;
            }
            if (found.placed() >= enough) {
                break;
            }
        }
        if (found == null) {
            throw new IllegalStateException("no policy was tried");
        }
        best.put(key, found);
        return found;
    }
}
