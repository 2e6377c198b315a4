package io.evenkeel.engine.simulation;

/** Which of the nodes that a pod may go to it is placed on. */
public enum PlacementRule {
    /** The node with the best score of the soft constraints, among equal scores the first in the order of nodes. */
    SPREAD,
    /** The first in the order of nodes. */
    FIRST,
    /**
     * The node with the best sum of the scores of kube-scheduler in its default configuration, as far as they are
     * judged; among equal sums, the first in the order of nodes.
     */
    STOCK
}
