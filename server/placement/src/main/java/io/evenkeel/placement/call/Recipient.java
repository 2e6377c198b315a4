package io.evenkeel.placement.call;

import java.util.concurrent.CancellationException;

/**
 * Who made a call, and waits for its answer. Told once of the answer or of a failure, by any thread.
 *
 * @param <A> the answer
 */
public interface Recipient<A> {
    /** The call is answered. */
    void answered(A answer);

    /**
     * The call has no answer.
     *
     * @param why a {@link RequestException} where it was refused, a {@link CancellationException} where it was given up
     *     since {@link #isOver} said so, else a fault of the program
     */
    void failed(Throwable why);

    /** Whether it waits no longer: asked often by whoever works on the answer, and true for good once it is true. */
    boolean isOver();

    /** Has {@code action} run once it waits no longer; at once where that is so already. */
    void whenOver(Runnable action);
}
