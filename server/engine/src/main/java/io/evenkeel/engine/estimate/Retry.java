package io.evenkeel.engine.estimate;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Repeats a trial without some of its pods, so that {@link Fill} can place others. Which pods are omitted is random,
 * but the same for the same number: all pods of a shape, or those of some shapes on some nodes.
 */
final class Retry {
    private Retry() {}

    /** @param inOrder whether each placement must pass Filter; if not, shapes are kept or omitted as a whole */
    static Trial of(Trial old, List<OwnConstraints> own, int number, boolean inOrder) {
        SplittableRandom random = new SplittableRandom(number);
        Trial trial = new Trial(old.ground, old.newNodes);
        int shapes = old.left.length;
        boolean isByNode = inOrder && random.nextInt(3) > 0;
        double leaveOut = random.nextDouble(0.1, 0.7);
        boolean[] shapeOut = new boolean[shapes];
        for (int shape = 0; shape < shapes; shape++) {
            // At once, shapes without a closed form come last, because others change what admits them.
            shapeOut[shape] = random.nextDouble() < (isByNode ? 0.7 : 0.4)
                    || !inOrder && !own.get(shape).isExact();
        }
        shapeOut[random.nextInt(shapes)] = true;
        boolean[] nodeOut = new boolean[old.nodes()];
        for (int node = 0; node < nodeOut.length; node++) {
            nodeOut[node] = !isByNode || random.nextDouble() < leaveOut;
        }
        for (int step = 0; step < old.placed(); step++) {
            int shape = old.shapeOf(step);
            int node = old.nodeOf(step);
            if (!(shapeOut[shape] && nodeOut[node]) && (!inOrder || trial.admits(shape, node))) {
                trial.place(shape, node);
            }
        }
        return trial;
    }
}
