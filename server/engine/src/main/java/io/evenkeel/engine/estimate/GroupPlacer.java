package io.evenkeel.engine.estimate;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.engine.memory.CapacityException;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/** Places all pods of a group on existing nodes, or none. The result of a problem is always the same. */
public final class GroupPlacer {
    private static final int ATTEMPTS = 400;

    private GroupPlacer() {}

    /**
     * Places the pods on the nodes of one of the sets, the first that has an order, otherwise an end state. Pods on all
     * nodes count, whichever set they are in. Templates are not used.
     *
     * @param sets at least one set of numbers of nodes
     * @throws StoppedException soon after {@code stop} says so
     * @throws CapacityException if the problem is too large
     */
    public static GroupPlacement place(Problem problem, List<BitSet> sets, StopSignal stop) {
        if (sets.isEmpty()) {
            throw new IllegalArgumentException("at least one set of nodes is needed");
        }
        GroupPlacement best = placeIn(problem, sets, 0, stop);
        for (int set = 1; set < sets.size() && best.order() == null; set++) {
            GroupPlacement next = placeIn(problem, sets, set, stop);
            GroupPlacement better =
                    next.order() != null || best.endState() == null && next.endState() != null ? next : best;
            best = new GroupPlacement(
                    better.set(),
                    better.order(),
                    best.isOrderExcluded() && next.isOrderExcluded(),
                    better.endState(),
                    best.isEndStateExcluded() && next.isEndStateExcluded(),
                    better.unplaced());
        }
        return best;
    }

    private static GroupPlacement placeIn(Problem problem, List<BitSet> sets, int number, StopSignal stop) {
        Ground ground = new Ground(problem.within(sets.get(number)), stop);
        List<OwnConstraints> own = IntStream.range(0, problem.shapes().size())
                .mapToObj(shape -> OwnConstraints.of(ground, shape))
                .toList();
        int pods = ground.pods;
        int[] none = {};
        Trial ordered = new Evaluation(ground, own, true).best(none, pods, ATTEMPTS);
        if (ordered.placed() == pods) {
            Plan plan = new Plan(ordered, true);
            return new GroupPlacement(number, plan, false, plan, false, List.of());
        }
        List<Unplaced> unplaced = Causes.of(ordered, false);
        PlanBounds bounds = new PlanBounds(ground, own);
        boolean isExcluded = bounds.placed() < pods || !bounds.mayHoldAll(none);
        boolean isOneExact = problem.shapes().size() == 1 && own.get(0).isExact();
        OrderSearch search = new OrderSearch(new Trial(ground, none));
        if (!isExcluded && !isOneExact && search.run()) {
            Plan plan = new Plan(search.trial(), true);
            return new GroupPlacement(number, plan, false, plan, false, List.of());
        }
        boolean isOrderExcluded = isExcluded || isOneExact || search.isComplete();
        if (isExcluded) {
            return new GroupPlacement(number, null, isOrderExcluded, null, true, unplaced);
        }
        Trial end = new Evaluation(ground, own, false).best(none, pods, ATTEMPTS);
        Plan endState = end.placed() == pods ? new Plan(end, false) : null;
        return new GroupPlacement(number, null, isOrderExcluded, endState, false, unplaced);
    }
}
