package io.evenkeel.engine.estimate;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the combination of new nodes that places the most pods, then for the cheapest one.
 *
 * <ol>
 *   <li>Climb: add new nodes while that places more pods, then remove and swap them while it places no fewer.
 *   <li>Try every cheaper combination, the cheapest first, until the work that is allowed is done. Combinations that
 *       {@link Bounds} excludes cost little; as long as all are excluded, the bound of the price rises.
 * </ol>
 */
final class Search {
    /** About 100 ms. */
    static final long WORK = 3_000_000;

    private static final int MANY = 60;
    private static final int COMBINATIONS = 20_000;

    private final Ground ground;
    private final Bounds bounds;
    private final Evaluation evaluation;
    private final int templates;
    private final int enough;
    private Trial best;
    private long priceBound;

    Search(Bounds bounds, Evaluation evaluation) {
        this.bounds = bounds;
        this.evaluation = evaluation;
        ground = evaluation.ground;
        templates = ground.problem.templates().size();
        enough = bounds.placed();
        best = evaluation.best(new int[templates], enough, MANY);
    }

    static boolean isBetter(Trial one, Trial other) {
        int more = one.placed() - other.placed();
        return more > 0 || more == 0 && one.ground.price(one.newNodes) < other.ground.price(other.newNodes);
    }

    long priceBound() {
        return priceBound;
    }

    /** @param from a price that is known to be needed */
    Trial run(long from) {
        priceBound = from;
        boolean isMore = true;
        while (isMore) {
            isMore = grow();
            isMore |= shrink();
        }
        tryCheaper();
        return best;
    }

    /** Adds nodes while that places more pods. */
    private boolean grow() {
        boolean hasGrown = false;
        int step = 1;
        while (step > 0 && best.placed() < enough) {
            Trial before = best;
            for (int t = 0; t < templates; t++) {
                attempt(plus(before.newNodes, t, step), 1);
            }
            if (best == before) {
                for (int t = 0; t < templates; t++) {
                    for (int u = t; u < templates; u++) {
                        attempt(plus(plus(before.newNodes, t, step), u, step), 1);
                    }
                }
            }
            if (best == before) {
                int[] all = before.newNodes;
                for (int t = 0; t < templates; t++) {
                    all = plus(all, t, step);
                }
                attempt(all, MANY);
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

    private void attempt(int[] newNodes, int policies) {
        if (evaluation.isOver() || Arrays.equals(newNodes, best.newNodes)) {
            return;
        }
        Trial trial = evaluation.best(newNodes, enough, policies);
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

    private void tryCheaper() {
        Combinations combinations = new Combinations(ground.problem.templates(), priceBound, COMBINATIONS);
        boolean allExcluded = true;
        for (int i = 0; i < COMBINATIONS && !evaluation.isOver(); i++) {
            int @Nullable [] next = combinations.next();
            if (next == null || best.placed() == enough && ground.price(next) >= ground.price(best.newNodes)) {
                if (allExcluded && best.placed() == enough) {
                    priceBound = ground.price(best.newNodes);
                }
                return;
            }
            if (!bounds.mayHoldAll(next)) {
                evaluation.spend(next);
                continue;
            }
            if (allExcluded) {
                priceBound = Math.max(priceBound, ground.price(next));
                allExcluded = false;
            }
            attempt(next, MANY);
        }
    }
}
