package io.evenkeel.engine.estimate;

import java.util.Arrays;

/**
 * New nodes, and the pods that go to each node. Immutable.
 *
 * <p>Nodes are numbered as in {@link Problem#nodes}, then the new nodes, template by template.
 */
public final class Plan {
    private final int[] newNodes;
    private final int[] shapes;
    private final int[] nodes;
    private final int[] unplaced;
    private final long price;
    private final boolean isOrder;

    Plan(Trial trial, boolean isOrder) {
        Ground ground = trial.ground;
        newNodes = trial.newNodes.clone();
        shapes = new int[trial.placed()];
        nodes = new int[shapes.length];
        for (int step = 0; step < shapes.length; step++) {
            shapes[step] = trial.shapeOf(step);
            int node = trial.nodeOf(step);
            nodes[step] =
                    node < ground.existing ? ground.node[node] : ground.problem.nodes().count + node - ground.existing;
        }
        unplaced = trial.left.clone();
        price = ground.price(newNodes);
        this.isOrder = isOrder;
    }

    /** How many new nodes of each template. */
    public int[] newNodes() {
        return newNodes.clone();
    }

    /** What the new nodes cost together. */
    public long price() {
        return price;
    }

    /** How many pods are placed, which is the number of steps. */
    public int placed() {
        return shapes.length;
    }

    /** How many pods of each shape are not placed. */
    public int[] unplaced() {
        return unplaced.clone();
    }

    /**
     * Whether the scheduler's Filter admits each step once the steps before it are made, and all new nodes exist. If
     * not, constraints and capacity are satisfied when all steps are made.
     */
    public boolean isOrder() {
        return isOrder;
    }

    /** The shape of the pod that a step places. */
    public int shape(int step) {
        return shapes[step];
    }

    /** The node on which a step places its pod. */
    public int node(int step) {
        return nodes[step];
    }

    @Override
    public String toString() {
        return placed() + " pods, new nodes " + Arrays.toString(newNodes) + (isOrder ? "" : ", as an end state");
    }
}
