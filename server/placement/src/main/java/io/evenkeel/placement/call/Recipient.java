package io.evenkeel.placement.call;

import java.util.concurrent.CancellationException;

/**
 * The caller that waits for an answer. Receives either one answer or one failure, from any thread.
 *
 * @param <A> the answer
 */
public interface Recipient<A> {
    /** Delivers the answer. */
    void answered(A answer);

    /**
     * Delivers the failure of the call.
     *
     * @param why a {@link RequestException} if the call was rejected, a {@link CancellationException} if work stopped
     *     because {@link #isOver} was true, otherwise an internal error
     */
    void failed(Throwable why);

    /**
     * True once the call is cancelled or its deadline has passed; it then stays true. Called often by the thread that
     * works on the answer.
     */
    boolean isOver();

    /** Runs {@code action} once {@link #isOver} becomes true; immediately if it is already. */
    void whenOver(Runnable action);
}
