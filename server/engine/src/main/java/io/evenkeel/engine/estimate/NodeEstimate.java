package io.evenkeel.engine.estimate;

import java.util.List;

/**
 * The answer to a {@link Problem}.
 *
 * @param plan the best plan found whose steps are in an order that Filter admits
 * @param endState a plan that is better than {@code plan} if only the end counts, and that no order is known for;
 *     {@code plan} itself if none was found
 * @param priceBound a price below which no plan can place all pods for which there is any room; 0 if {@code plan}
 *     places fewer
 * @param isOptimal whether it is proven that no order places more pods, or as many for a lower price
 * @param unplaced why pods of {@code plan} are not placed; at most one entry per shape
 * @param withoutNewNodes if {@code plan} has new nodes, why existing nodes do not take all pods: which ones the best
 *     plan found without new nodes does not place; otherwise empty
 */
public record NodeEstimate(
        Plan plan,
        Plan endState,
        long priceBound,
        boolean isOptimal,
        List<Unplaced> unplaced,
        List<Unplaced> withoutNewNodes) {}
