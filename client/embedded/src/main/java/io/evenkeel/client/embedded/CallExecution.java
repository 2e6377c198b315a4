package io.evenkeel.client.embedded;

import io.evenkeel.client.embedded.MethodHandlers.UnaryCall;
import io.evenkeel.placement.call.CallRunner;
import io.evenkeel.placement.call.Recipient;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;

/**
 * Answers requests, and chooses the thread: the caller's, where the caller waits or the answer is short, and otherwise
 * one of an executor.
 */
final class CallExecution {
    private final CallRunner runner;
    private final ExecutorPool pool;

    CallExecution(CallRunner runner, Executor executor) {
        this.runner = runner;
        this.pool = new ExecutorPool(executor);
    }

    /** Answers in this thread, once the state is as new as demanded. */
    <Q, A> A answer(UnaryCall<Q, A> call, Q request, Duration deadline) {
        Deadline late = new Deadline(deadline);
        try {
            return runner.await(
                    call.demanded().apply(request),
                    deadline,
                    () -> call.prepare().apply(request),
                    late::hasPassed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw Failures.cancelled("interrupted while waiting for a revision", interrupted);
        } catch (CancellationException over) {
            throw Deadline.passed(over);
        }
    }

    /** Runs a task in a thread of the executor; in this thread where the executor takes no more. */
    void later(Runnable task) {
        pool.later(task, full -> task.run());
    }

    /** Begins the call. {@code recipient} gets the answer now or later. */
    <Q, A> void begin(UnaryCall<Q, A> call, Q request, Duration patience, Recipient<A> recipient) {
        runner.run(
                pool,
                call.demanded().apply(request),
                () -> patience,
                () -> call.prepare().apply(request),
                recipient);
    }
}
