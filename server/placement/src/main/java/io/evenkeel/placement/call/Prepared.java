package io.evenkeel.placement.call;

import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A request that was read and checked, and can now be answered. It must be answered once only.
 *
 * @param <R> the response
 */
public interface Prepared<R> {
    /** A request whose work is not stopped once it has begun. */
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
     * Whether the answer will take well under a millisecond: nothing has to be compiled or built first, and the answer
     * is small.
     */
    boolean isShort();

    /**
     * The response, from a state that is at least as new as the moment of this call.
     *
     * @throws RequestException where it cannot be answered after all
     */
    default R answer() {
        return answer(() -> false);
    }

    /**
     * As {@link #answer()}.
     *
     * @param over says whether nobody waits for the answer any more; it is called often, in this thread
     * @throws CancellationException soon after {@code over} says so
     */
    R answer(BooleanSupplier over);
}
