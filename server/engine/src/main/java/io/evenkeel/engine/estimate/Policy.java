package io.evenkeel.engine.estimate;

import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * How a trial is filled: the order of the shapes, whether they take turns, and which of equally low nodes comes first.
 * Policy 0 is the usual one; the others are variations of it, and the same number always gives the same policy.
 */
final class Policy {
    /** With more, each look at a node would take too long. */
    private static final int MAX_CONSIDERED = 16;

    enum Nodes {
        FULLEST,
        EMPTIEST,
        ANY
    }

    final int[] shapes;
    final boolean inTurns;
    final boolean isIndependent;
    final boolean isChecked;

    /** Whether, of equally low nodes, those come first whose domains have few pods for the constraints of any shape. */
    final boolean isConsiderate;

    final Nodes nodes;
    private final double[] firstShare;
    private final SplittableRandom random;

    Policy(Ground ground, int number) {
        random = new SplittableRandom(number);
        boolean isByConstraints = number % 2 == 0;
        boolean isSmallestFirst = number % 3 == 2;
        double noise = number < 6 ? 0 : number % 8 < 4 ? 0.3 : 2;
        int shapeCount = ground.problem.shapes().size();
        double[] rank = new double[shapeCount];
        firstShare = new double[shapeCount];
        for (int s = 0; s < shapeCount; s++) {
            double size = size(ground, s);
            rank[s] = (isSmallestFirst ? -size : size)
                    + (isByConstraints ? constrained(ground, s) : 0)
                    + noise * random.nextDouble();
            firstShare[s] = number < 6 || random.nextInt(3) > 0 ? 1 : random.nextDouble();
        }
        shapes = IntStream.range(0, shapeCount)
                .boxed()
                .sorted(Comparator.comparingDouble(s -> -rank[s]))
                .mapToInt(s -> s)
                .toArray();
        isIndependent = IntStream.range(0, shapeCount).allMatch(ground::isAlone);
        isChecked = number % 2 == 0;
        isConsiderate =
                number % 5 >= 3 && !isIndependent && ground.problem.counted().size() <= MAX_CONSIDERED;
        inTurns = number % 4 >= 2 && !isIndependent;
        nodes = number < 6 || number % 3 == 0 ? Nodes.FULLEST : number % 3 == 1 ? Nodes.ANY : Nodes.EMPTIEST;
    }

    /** How many of the pods of a shape are placed before the next shape's turn; the others follow at the end. */
    int firstPart(int shape, int pods) {
        return (int) Math.ceil(firstShare[shape] * pods);
    }

    /** A rank below 2^20; nodes with a lower one come first. */
    int rank(Trial trial, int shape, int node) {
        if (nodes == Nodes.ANY) {
            return random.nextInt(1 << 20);
        }
        long[] requests = trial.ground.problem.shapes().get(shape).requests;
        double share = 0;
        for (int r = 0; r < requests.length; r++) {
            if (requests[r] > 0) {
                share += (double) trial.free[node * requests.length + r] / trial.ground.scale[r] / requests.length;
            }
        }
        int rank = (int) (share * ((1 << 20) - 1));
        return nodes == Nodes.FULLEST ? rank : (1 << 20) - 1 - rank;
    }

    /** The largest share of a resource that one pod takes. */
    private static double size(Ground ground, int shape) {
        long[] requests = ground.problem.shapes().get(shape).requests;
        double size = 0;
        for (int r = 0; r < requests.length; r++) {
            size = Math.max(size, (double) requests[r] / Math.max(1, ground.scale[r]));
        }
        return size;
    }

    /** 2 for constraints per node, 1 for others: shapes with little choice come first. */
    private static double constrained(Ground ground, int shape) {
        double most = 0;
        for (HardConstraint constraint : ground.problem.shapes().get(shape).constraints) {
            int key = ground.problem.counted().get(constraint.counted()).key;
            most = Math.max(most, ground.perNode[key] ? 2 : 1);
        }
        return most;
    }
}
