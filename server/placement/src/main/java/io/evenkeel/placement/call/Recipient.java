package io.evenkeel.placement.call;

import java.util.concurrent.CancellationException;

/**
 * The caller of a call, who waits for the answer. It gets either an answer or a failure, once, from any thread.
 *
 * @param <A> the answer
 */
public interface Recipient<A> {
    /** Delivers the answer. */
    void answered(A answer);

    /**
     * Delivers the failure of the call.
     *
     * @param why a {@link RequestException} where the call was refused, a {@link CancellationException} where it was
     *     stopped because {@link #isOver} said so, otherwise a fault of the program
     */
    void failed(Throwable why);

    /**
     * Whether the caller does not wait any more. The thread that works on the answer calls this often. Once true, it
     * stays true.
     */
    boolean isOver();

    /** Runs {@code action} when the caller stops waiting; at once where it has stopped already. */
    void whenOver(Runnable action);
}
