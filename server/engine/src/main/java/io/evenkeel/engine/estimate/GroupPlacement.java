package io.evenkeel.engine.estimate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes for all pods of a group. The two answers can differ: an end state may satisfy every constraint although it
 * is not reached by placing one pod at a time, in any order.
 *
 * @param set the number of the set of nodes that the answer is for
 * @param order a plan of all pods, in an order that Filter admits; null if none was found
 * @param isOrderExcluded whether it is proven that there is no such order in any of the sets
 * @param endState a plan of all pods that satisfies all constraints at the end; {@code order} if there is one; null if
 *     none was found
 * @param isEndStateExcluded whether it is proven that there is no such end state in any of the sets
 * @param unplaced if there is no order, why the pods that the best attempt left over cannot be placed
 */
public record GroupPlacement(
        int set,
        @Nullable Plan order,
        boolean isOrderExcluded,
        @Nullable Plan endState,
        boolean isEndStateExcluded,
        List<Unplaced> unplaced) {}
