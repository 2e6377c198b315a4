package io.evenkeel.client.embedded;

import io.evenkeel.client.embedded.MethodHandlers.UnaryCall;
import io.evenkeel.placement.call.CallRunner;
import io.evenkeel.placement.call.Recipient;
import io.evenkeel.placement.call.TimeLimit;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;

/**
 * Answers requests, and chooses the thread: the caller's if the caller blocks or the work is short, otherwise one of an
 * executor.
 */
final class CallExecution {
    /** Streams have no deadline. The instance limits how long their messages wait for a revision. */
    private static final Duration NO_DEADLINE = Duration.ofDays(1);

    private final CallRunner runner;
    private final ExecutorPool pool;

    CallExecution(CallRunner runner, Executor executor) {
        this.runner = runner;
        this.pool = new ExecutorPool(executor);
    }

    /** Answers in this thread, once the state is as fresh as required. */
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

    /** Runs a task in the executor, or in this thread if the executor rejects it. */
    void later(Runnable task) {
        pool.later(task, full -> task.run());
    }

    /** Starts to answer a request of a stream. */
    <Q, A> void begin(UnaryCall<Q, A> call, Q request, TimeLimit limit, Recipient<A> recipient) {
        runner.run(
                pool,
                limit,
                call.demanded().apply(request),
                () -> NO_DEADLINE,
                () -> call.prepare().apply(request),
                recipient);
    }

    /** Starts a call. {@code recipient} receives the answer now or later. */
    <Q, A> void begin(UnaryCall<Q, A> call, Q request, Duration patience, Recipient<A> recipient) {
        runner.run(
                pool,
                call.demanded().apply(request),
                () -> patience,
                () -> call.prepare().apply(request),
                recipient);
    }
}
