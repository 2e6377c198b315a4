package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Places as many pods as it can in a trial, in the way of a policy. */
final class Fill {
    private final Trial trial;
    private final Policy policy;

    private Fill(Trial trial, Policy policy) {
        this.trial = trial;
        this.policy = policy;
    }

    /** Each placement passes the scheduler's Filter when it is made. */
    static void inOrder(Trial trial, Policy policy) {
        Fill fill = new Fill(trial, policy);
        if (policy.inTurns) {
            fill.inTurns();
        }
        for (int shape : policy.shapes) {
            fill.oneByOne(shape, policy.firstPart(shape, trial.left[shape]));
        }
        int before;
        do {
            before = trial.placed();
            for (int shape : policy.shapes) {
                fill.oneByOne(shape, trial.left[shape]);
            }
        } while (trial.placed() > before && !policy.isIndependent);
    }

    /**
     * The constraints hold at the end. Shapes without a closed form come last, because others change what admits them:
     * they are placed one by one, or each on the lowest node, and then those that exceed a maxSkew are removed again.
     */
    static void atOnce(Trial trial, Policy policy, List<OwnConstraints> own) {
        Fill fill = new Fill(trial, policy);
        for (int part = 0; part < 2; part++) {
            for (int shape : policy.shapes) {
                if (own.get(shape).isExact() && trial.left[shape] > 0) {
                    int pods = part == 0 ? policy.firstPart(shape, trial.left[shape]) : trial.left[shape];
                    fill.byLevels(shape, pods, own.get(shape));
                }
            }
        }
        for (int shape : policy.shapes) {
            if (!own.get(shape).isExact() && trial.left[shape] > 0) {
                new ShapeQueue(trial, shape, policy, policy.isChecked).place(trial.left[shape]);
            }
        }
        for (int step = trial.lastExceeding(); step >= 0; step = trial.lastExceeding()) {
            trial.ground.stop.check();
            trial.takeBack(step);
        }
    }

    private void oneByOne(int shape, int most) {
        if (most > 0) {
            new ShapeQueue(trial, shape, policy, true).place(most);
        }
    }

    private void inTurns() {
        List<ShapeQueue> queues = new ArrayList<>();
        for (int shape : policy.shapes) {
            queues.add(new ShapeQueue(trial, shape, policy, true));
        }
        int before;
        do {
            before = trial.placed();
            for (int i = 0; i < queues.size(); i++) {
                if (trial.left[policy.shapes[i]] > 0) {
                    queues.get(i).place(1);
                }
            }
        } while (trial.placed() > before);
    }

    private void byLevels(int shape, int pods, OwnConstraints own) {
        int[] rank = new int[trial.nodes()];
        for (int node = 0; node < rank.length; node++) {
            rank[node] = trial.enters(shape, node) ? policy.rank(trial, shape, node) : 0;
        }
        int[] order = IntStream.range(0, rank.length)
                .boxed()
                .sorted(Comparator.comparingInt(node -> rank[node]))
                .mapToInt(node -> node)
                .toArray();
        int[] placements = own.levels(trial, shape, pods).placements(order, policy.nodes == Policy.Nodes.EMPTIEST);
        for (int node = 0; node < placements.length; node++) {
            for (int i = 0; i < placements[node]; i++) {
                trial.place(shape, node);
            }
        }
    }
}
