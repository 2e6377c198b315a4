package io.evenkeel.engine.estimate;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.engine.memory.CapacityException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Estimates how many new nodes pending pods need: first the most pods are placed, then the price of the new nodes is as
 * low as possible. The result of a problem is always the same.
 */
public final class Estimator {
    private Estimator() {}

    /**
     * Plans for all pods of a problem, or for as many as possible.
     *
     * @throws StoppedException soon after {@code stop} says so
     * @throws CapacityException if the problem is too large
     */
    public static NodeEstimate estimate(Problem problem, StopSignal stop) {
        Ground ground = new Ground(problem, stop);
        List<OwnConstraints> own = IntStream.range(0, problem.shapes().size())
                .mapToObj(shape -> OwnConstraints.of(ground, shape))
                .toList();
        PlanBounds bounds = new PlanBounds(ground, own);
        Search ordered = new Search(bounds, new Evaluation(ground, own, true));
        Trial best = ordered.run(bounds.price());
        Plan plan = new Plan(best, true);
        Plan endState = plan;
        long bound = ordered.priceBound();
        if (best.placed() < bounds.placed() || plan.price() > bound) {
            Search any = new Search(bounds, new Evaluation(ground, own, false));
            Trial end = any.run(bound);
            bound = Math.max(bound, any.priceBound());
            if (Search.isBetter(end, best)) {
                endState = new Plan(end, false);
            }
        }
        boolean isOptimal = best.placed() == bounds.placed() && (plan.price() <= bound || ordered.isCheapest());
        bound = best.placed() == bounds.placed() ? bound : 0;
        return new NodeEstimate(
                plan,
                endState,
                bound,
                isOptimal,
                Causes.of(best, true),
                best.hasNewNodes() ? Causes.of(ordered.withoutNewNodes(), false) : List.of());
    }
}
