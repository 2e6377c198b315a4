package io.evenkeel.placement.call;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;

/**
 * A request that was read and validated and can now be answered. It must be answered only once.
 *
 * @param <A> the answer
 */
@FunctionalInterface
public interface Prepared<A> {
    /**
     * True if the answer takes well under a millisecond: nothing needs to be compiled or built first, and the answer is
     * small.
     */
    default boolean isShort() {
        return false;
    }

    /**
     * Returns the answer, based on the state at the time of this call or later.
     *
     * @param stop called often, in this thread
     * @throws RequestException if the request cannot be answered after all
     * @throws StoppedException soon after {@code stop} says so
     */
    A answer(StopSignal stop);
}
