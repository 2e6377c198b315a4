package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.List;

/** What no plan can exceed, in whatever order pods are placed. */
final class PlanBounds {
    private final Ground ground;
    private final List<OwnConstraints> own;
    private final long[] existingFree;
    private final int[] possible;
    private final List<int[]> guesses = new ArrayList<>();
    private long price;

    PlanBounds(Ground ground, List<OwnConstraints> own) {
        this.ground = ground;
        this.own = own;
        int resources = ground.problem.resources();
        existingFree = new long[resources];
        for (int row = 0; row < ground.existing; row++) {
            for (int r = 0; r < resources; r++) {
                existingFree[r] = plus(existingFree[r], 1, ground.free[row * resources + r]);
            }
        }
        possible = new int[ground.problem.shapes().size()];
        for (int shape = 0; shape < possible.length; shape++) {
            possible[shape] = possible(shape);
        }
        price = priceOfRequests();
        considerEachAlone();
    }

    /** How many pods of all shapes can be placed at most, with any number of new nodes. */
    int placed() {
        int placed = 0;
        for (int pods : possible) {
            placed += pods;
        }
        return placed;
    }

    /** Whether this many new nodes might hold all pods that can be placed at all. */
    boolean mayHoldAll(int[] newNodes) {
        int resources = ground.problem.resources();
        for (int r = 0; r < resources; r++) {
            long free = existingFree[r];
            for (int t = 0; t < newNodes.length; t++) {
                free = plus(free, newNodes[t], ground.free[(ground.existing + t) * resources + r]);
            }
            if (free < demand(r)) {
                return false;
            }
        }
        Trial empty = new Trial(ground, newNodes);
        for (int shape = 0; shape < possible.length; shape++) {
            if (possible[shape] > 0
                    && own.get(shape).levels(empty, shape, possible[shape]).placed() < possible[shape]) {
                return false;
            }
        }
        return true;
    }

    /** A price below which the pods that {@link #placed} counts cannot all be placed. */
    long price() {
        return price;
    }

    /** New nodes that may be a good start: for each shape alone, and the most and the sum of these. */
    List<int[]> guesses() {
        return guesses;
    }

    private void considerEachAlone() {
        int templates = ground.problem.templates().size();
        int[] most = new int[templates];
        int[] sum = new int[templates];
        Trial none = new Trial(ground, new int[templates]);
        for (int shape = 0; shape < possible.length; shape++) {
            if (own.get(shape).levels(none, shape, possible[shape]).placed() == possible[shape]) {
                continue;
            }
            FewestNodes fewest = own.get(shape).fewestNodes(ground, shape, possible[shape]);
            if (fewest.isFound()) {
                if (fewest.isBound()) {
                    price = Math.max(price, fewest.price());
                }
                for (int t = 0; t < templates; t++) {
                    most[t] = Math.max(most[t], fewest.newNodes()[t]);
                    sum[t] = Math.min(ground.problem.templates().get(t).max, sum[t] + fewest.newNodes()[t]);
                }
            }
        }
        guesses.add(most);
        guesses.add(sum);
    }

    private long priceOfRequests() {
        int resources = ground.problem.resources();
        long bound = 0;
        for (int r = 0; r < resources; r++) {
            long missing = demand(r) - existingFree[r];
            if (missing > 0) {
                double price = Double.MAX_VALUE;
                long cheapest = Long.MAX_VALUE;
                for (int t = 0; t < ground.problem.templates().size(); t++) {
                    NodeTemplate template = ground.problem.templates().get(t);
                    if (template.free[r] > 0 && template.max > 0) {
                        price = Math.min(price, (double) missing / template.free[r] * template.price);
                        cheapest = Math.min(cheapest, template.price);
                    }
                }
                bound = Math.max(bound, Math.max(cheapest, (long) Math.ceil(price - 1e-6)));
            }
        }
        return bound;
    }

    private long demand(int r) {
        long demand = 0;
        for (int shape = 0; shape < possible.length; shape++) {
            demand = plus(demand, possible[shape], ground.problem.shapes().get(shape).requests[r]);
        }
        return demand;
    }

    /** A sum of numbers that are not negative; {@link Long#MAX_VALUE} if it is greater. Negative numbers count as 0. */
    private static long plus(long sum, int times, long each) {
        long one = Math.max(0, each);
        return times > 0 && one > (Long.MAX_VALUE - sum) / times ? Long.MAX_VALUE : sum + times * one;
    }

    private int possible(int shape) {
        int resources = ground.problem.resources();
        long room = 0;
        for (int row = 0; row < ground.rows(); row++) {
            if (ground.enters[shape][row]) {
                long nodes =
                        row < ground.existing ? 1 : ground.problem.templates().get(row - ground.existing).max;
                room += nodes * ground.room(shape, ground.free, row * resources);
            }
        }
        return (int) Math.min(room, ground.problem.shapes().get(shape).pods);
    }
}
