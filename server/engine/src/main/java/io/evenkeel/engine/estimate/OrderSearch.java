package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Searches all orders, depth first, for one that places all pods. What an order has led to is what each node got of
 * each shape, so no such state is searched twice.
 */
final class OrderSearch {
    private static final int MAX_STATES = 20_000;
    private static final int MAX_PODS = 500;
    private static final int MAX_NUMBERS = 4_000_000;

    private final Trial trial;
    private final int[][] placed;
    private final int mostStates;
    private final Set<List<Integer>> seen = new HashSet<>();

    OrderSearch(Trial trial) {
        this.trial = trial;
        placed = new int[trial.left.length][trial.nodes()];
        // Each level of the recursion places one pod.
        mostStates = trial.ground.pods > MAX_PODS
                ? 0
                : Math.min(MAX_STATES, MAX_NUMBERS / (1 + placed.length * trial.nodes()));
    }

    /** The trial with all pods placed, after {@link #run} has returned true. */
    Trial trial() {
        return trial;
    }

    /** Whether all orders were searched. */
    boolean isComplete() {
        return seen.size() < mostStates;
    }

    boolean run() {
        trial.ground.stop.check();
        if (trial.placed() == trial.ground.pods) {
            return true;
        }
        if (!isComplete() || !seen.add(state())) {
            return false;
        }
        for (int shape = 0; shape < placed.length; shape++) {
            for (int node = 0; node < trial.nodes() && trial.left[shape] > 0; node++) {
                if (trial.enters(shape, node) && trial.fits(shape, node) && trial.admits(shape, node)) {
                    trial.place(shape, node);
                    placed[shape][node]++;
                    if (run()) {
                        return true;
                    }
                    placed[shape][node]--;
                    trial.takeBack(trial.placed() - 1);
                }
            }
        }
        return false;
    }

    private List<Integer> state() {
        List<Integer> state = new ArrayList<>();
        for (int[] ofShape : placed) {
            for (int pods : ofShape) {
                state.add(pods);
            }
        }
        return state;
    }
}
