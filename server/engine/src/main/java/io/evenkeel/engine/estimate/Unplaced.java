package io.evenkeel.engine.estimate;

/**
 * Why pods of one shape are not placed.
 *
 * @param shape the shape
 * @param pods how many pods of it are not placed
 * @param cause what excludes the nodes that come closest
 * @param constraint the number of the constraint in the shape's list, if the cause is SPREAD; otherwise -1
 * @param minimumDomain a domain with the lowest count for this constraint, numbered as in the problem, then the new
 *     nodes; -1 if the cause is not SPREAD, or if the minimum is 0 because there are fewer domains than minDomains
 * @param minimumDomainCause why no node of that domain takes a pod; NO_NODE if {@code minimumDomain} is -1
 */
public record Unplaced(int shape, int pods, Cause cause, int constraint, int minimumDomain, Cause minimumDomainCause) {
    /** What excludes a node, or one more node of a template. The nearest miss is last. */
    public enum Cause {
        /** There is no node. */
        NO_NODE,
        /** Taints, node affinity, a cordon or a missing topology key. */
        NOT_ENTERABLE,
        /** Too little of a resource is free. */
        NO_ROOM,
        /** A new node would have room, but there is the maximum of its template already. */
        MAX_COUNT,
        /**
         * One more node would take the pod, but no plan with it that places more pods was found. Often, the new node
         * has the lowest count, and so keeps other pods from their nodes.
         */
        NO_PLAN,
        /** The node has room, but a constraint's maxSkew would be exceeded. */
        SPREAD
    }
}
