package io.evenkeel.engine.estimate;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the combination of new nodes that places the most pods, then for the cheapest one.
 *
 * <ol>
 *   <li>Climb: add new nodes while that places more pods, then remove and swap them while it places no fewer.
 *   <li>Try every cheaper combination, the cheapest first, until the work that is allowed is done. Combinations that
 *       {@link PlanBounds} excludes cost little; as long as all are excluded, the bound of the price rises.
 * </ol>
 */
final class Search {
    private static final int FEW = 6;
    private static final int MANY = 60;
    private static final int MOST = 600;
    private static final int COMBINATIONS = 20_000;

    private final Ground ground;
    private final PlanBounds bounds;
    private final Evaluation evaluation;
    private final int templates;
    private final int enough;
    private Trial best;
    private long priceBound;

    /** Whether it is proven that no cheaper combination places as many pods, as the evaluation places them. */
    private boolean isCheapest;

    Search(PlanBounds bounds, Evaluation evaluation) {
        this.bounds = bounds;
        this.evaluation = evaluation;
        ground = evaluation.ground;
        templates = ground.problem.templates().size();
        enough = bounds.placed();
        best = evaluation.best(new int[templates], enough, 1);
    }

    static boolean isBetter(Trial one, Trial other) {
        int more = one.placed() - other.placed();
        return more > 0 || more == 0 && one.ground.price(one.newNodes) < other.ground.price(other.newNodes);
    }

    /** A price below which no combination can place all pods for which there is room, in whatever order. */
    long priceBound() {
        return priceBound;
    }

    boolean isCheapest() {
        return isCheapest;
    }

    /** The best trial without new nodes. */
    Trial withoutNewNodes() {
        return evaluation.best(new int[templates], enough, FEW);
    }

    /** @param from a price that is known to be needed */
    Trial run(long from) {
        priceBound = from;
        for (int[] guess : bounds.guesses()) {
            attempt(guess, FEW);
        }
        climb();
        if (best.placed() < enough) {
            best = evaluation.best(best.newNodes, enough, MOST);
            climb();
        }
        for (int attempts : new int[] {FEW, MANY, MOST}) {
            if (!isDone()) {
                tryCheaper(attempts);
            }
        }
        return best;
    }

    private void climb() {
        while (!isDone() && (grow() || shrink())) {
            // Each step changes what the other one can do.
        }
    }

    /** Whether nothing can be better. */
    private boolean isDone() {
        return best.placed() == enough && (isCheapest || ground.price(best.newNodes) <= priceBound);
    }

    /** Adds nodes while that places more pods, even if all the work that is allowed is done. */
    private boolean grow() {
        boolean hasGrown = false;
        int step = 1;
        while (step > 0 && best.placed() < enough) {
            Trial before = best;
            for (int t = 0; t < templates; t++) {
                attemptAtAnyCost(plus(before.newNodes, t, step), 1);
            }
            if (best == before) {
                for (int t = 0; t < templates; t++) {
                    for (int u = t; u < templates; u++) {
                        attemptAtAnyCost(plus(plus(before.newNodes, t, step), u, step), 1);
                    }
                }
            }
            if (best == before) {
                int[] all = before.newNodes;
                for (int t = 0; t < templates; t++) {
                    all = plus(all, t, step);
                }
                attemptAtAnyCost(all, MANY);
            }
            hasGrown |= best != before;
            step = best == before ? step / 2 : Math.max(step, sum(best.newNodes) / 8);
        }
        return hasGrown;
    }

    /** Removes nodes, or swaps two for one, while as many pods are placed. */
    private boolean shrink() {
        boolean hasShrunk = false;
        Trial before;
        do {
            before = best;
            for (int t = 0; t < templates; t++) {
                for (int step = Math.max(1, best.newNodes[t] / 2); step > 0; step /= 2) {
                    attempt(plus(best.newNodes, t, -step), MANY);
                }
            }
            for (int t = 0; t < templates && best == before; t++) {
                swapForCheaper(t);
                for (int u = 0; u < templates && best == before; u++) {
                    int[] less = plus(plus(best.newNodes, t, -1), u, -1);
                    for (int v = 0; v < templates && best == before; v++) {
                        attempt(plus(less, v, 1), MANY);
                    }
                }
            }
            hasShrunk |= best != before;
        } while (best != before);
        return hasShrunk;
    }

    /** Replaces a node with as many of another template as cost less. */
    private void swapForCheaper(int t) {
        int[] less = plus(best.newNodes, t, -1);
        for (int u = 0; u < templates; u++) {
            long nodes = (ground.problem.templates().get(t).price - 1)
                    / ground.problem.templates().get(u).price;
            if (nodes > 0) {
                attempt(plus(less, u, (int) Math.min(nodes, Integer.MAX_VALUE / 2)), MANY);
            }
        }
    }

    private void attempt(int[] newNodes, int attempts) {
        if (evaluation.isOver()) {
            return;
        }
        attemptAtAnyCost(newNodes, attempts);
    }

    private void attemptAtAnyCost(int[] newNodes, int attempts) {
        if (isDone() || Arrays.equals(newNodes, best.newNodes)) {
            return;
        }
        Trial trial = evaluation.best(newNodes, enough, attempts);
        if (isBetter(trial, best)) {
            best = trial;
        }
    }

    /** A copy with more nodes of a template, within 0 and its maximum. */
    private int[] plus(int[] newNodes, int template, int more) {
        int[] changed = newNodes.clone();
        int max = ground.problem.templates().get(template).max;
        changed[template] = Math.max(0, Math.min(max, changed[template] + more));
        return changed;
    }

    private static int sum(int[] newNodes) {
        return Arrays.stream(newNodes).sum();
    }

    private void tryCheaper(int attempts) {
        boolean areAllPlaced = best.placed() == enough;
        Combinations combinations =
                new Combinations(ground.problem.templates(), areAllPlaced ? priceBound : 0, COMBINATIONS);
        boolean allExcluded = areAllPlaced;
        for (int i = 0; i < COMBINATIONS && !evaluation.isOver(); i++) {
            int @Nullable [] next = combinations.next();
            if (next == null || areAllPlaced && ground.price(next) >= ground.price(best.newNodes)) {
                if (allExcluded && combinations.isComplete()) {
                    priceBound = ground.price(best.newNodes);
                }
                isCheapest = areAllPlaced && evaluation.isExact() && combinations.isComplete();
                return;
            }
            if (areAllPlaced && !bounds.mayHoldAll(next)) {
                evaluation.spend(next);
                continue;
            }
            if (allExcluded) {
                priceBound = Math.max(priceBound, ground.price(next));
                allExcluded = false;
            }
            attempt(next, attempts);
        }
    }
}
