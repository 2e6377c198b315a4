package io.evenkeel.placement.call;

import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A request that was read and validated and can now be answered. It must be answered only once.
 *
 * @param <R> the response
 */
public interface Prepared<R> {
    /** A request whose work cannot be cancelled once started. */
    static <R> Prepared<R> of(boolean isShort, Supplier<R> work) {
        return new Prepared<>() {
            @Override
            public boolean isShort() {
                return isShort;
            }

            @Override
            public R answer(BooleanSupplier over) {
                return work.get();
            }
        };
    }

    /**
     * True if the answer takes well under a millisecond: nothing needs to be compiled or built first, and the answer is
     * small.
     */
    boolean isShort();

    /**
     * Returns the response, based on the state at the time of this call or later.
     *
     * @throws RequestException if it cannot be answered after all
     */
    default R answer() {
        return answer(() -> false);
    }

    /**
     * Like {@link #answer()}, but can be cancelled.
     *
     * @param over true once the call is cancelled or its deadline has passed; called often, in this thread
     * @throws CancellationException soon after {@code over} returns true
     */
    R answer(BooleanSupplier over);
}
