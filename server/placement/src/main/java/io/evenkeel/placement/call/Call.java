package io.evenkeel.placement.call;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.plan.PlanLimitException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;

/**
 * A call as its handler sees it, on any transport: it has a deadline, can be cancelled, and receives either one answer
 * or one failure, from any thread.
 *
 * @param <A> the answer
 */
public interface Call<A> extends StopSignal {
    /** Delivers the answer. */
    void answer(A answer);

    /**
     * Delivers the failure of the call.
     *
     * @param why a {@link RequestException} if the call was rejected, a {@link CancellationException} if work stopped
     *     because {@link #isStopped} was true, otherwise an internal error
     */
    void fail(Throwable why);

    /**
     * True once the call is cancelled or its deadline has passed; called often by the thread that works on the call.
     */
    @Override
    boolean isStopped();

    /** Runs {@code action} once {@link #isStopped} becomes true; immediately if it is already. */
    void onStop(Runnable action);

    /** How long the call may wait for a newer state. Called by the thread that starts the call. */
    Duration patience();

    /**
     * Who makes the call. Calls of one identity can use each other's sessions. Identities are compared with
     * {@code equals}.
     */
    Object identity();

    /** Runs the long work of the call. */
    TaskPool pool();

    /** Answers with the result of {@code work}: in this thread if that is short, otherwise on the pool. */
    default void answerWith(boolean isShort, Supplier<A> work) {
        if (isShort) {
            attempt(() -> answer(work.get()));
        } else {
            answerOn(pool(), work);
        }
    }

    /** Answers with the result of {@code work}, which runs on {@code pool}. */
    default void answerOn(TaskPool pool, Supplier<A> work) {
        pool.execute(
                () -> attempt(() -> {
                    check();
                    answer(work.get());
                }),
                this::fail);
    }

    /**
     * Runs a part of the call's work in this thread. An exception fails the call. If there is no room for what the call
     * needs, that is not an internal error.
     */
    default void attempt(Runnable work) {
        try {
            work.run();
        } catch (CapacityException e) {
            fail(RequestException.stateFull(e));
        } catch (PlanLimitException e) {
            fail(RequestException.overLimit(e));
        } catch (RuntimeException e) {
            fail(e);
        } catch (Error e) {
            // The error ends this thread, so the call must end too.
            fail(e);
            throw e;
        }
    }
}
