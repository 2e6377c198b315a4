package io.evenkeel.client.embedded;

import com.google.rpc.Code;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.embedded.MethodHandlers.UnaryCall;
import io.evenkeel.placement.call.CallRunner;
import io.evenkeel.placement.call.Recipient;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** Answers requests: on the caller's thread where it waits or where that is short, else on an executor. */
final class CallExecution {
    private final CallRunner runner;
    private final ExecutorPool pool;

    CallExecution(CallRunner runner, Executor executor) {
        this.runner = runner;
        this.pool = new ExecutorPool(executor);
    }

    /** Answers on this thread, after the revision demanded was reached. */
    <Q, A> A answer(UnaryCall<Q, A> call, Q request, Duration deadline) {
        BooleanSupplier late = after(deadline);
        try {
            return runner.await(
                    call.demanded().apply(request),
                    deadline,
                    () -> call.prepare().apply(request),
                    late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw Failures.cancelled("interrupted while waiting for a revision", interrupted);
        } catch (CancellationException over) {
            throw late(over);
        }
    }

    /** Completes {@code answer}, sooner or later. Cancelling it gives the wait for a revision up, and the work. */
    <Q, A> void begin(UnaryCall<Q, A> call, Q request, Duration deadline, CompletableFuture<A> answer) {
        runner.run(
                pool,
                call.demanded().apply(request),
                () -> deadline,
                () -> call.prepare().apply(request),
                new FutureRecipient<>(answer, after(deadline)));
    }

    private static PlacementException late(CancellationException over) {
        return new PlacementException(
                Code.DEADLINE_EXCEEDED, "the deadline passed before the answer was worked out", over);
    }

    private static BooleanSupplier after(Duration deadline) {
        long begin = System.nanoTime();
        long most = deadline.toNanos();
        return () -> System.nanoTime() - begin > most;
    }

    /**
     * Who holds a future.
     *
     * @param tooLate says whether the deadline has passed
     */
    private record FutureRecipient<A>(CompletableFuture<A> future, BooleanSupplier tooLate) implements Recipient<A> {
        @Override
        public void answered(A answer) {
            future.complete(answer);
        }

        @Override
        public void failed(Throwable why) {
            // Without effect where the future was cancelled.
            future.completeExceptionally(why instanceof CancellationException over ? late(over) : why);
        }

        @Override
        public boolean isOver() {
            return future.isDone() || tooLate.getAsBoolean();
        }

        @Override
        public void whenOver(Runnable action) {
            Completion.of(future, (answer, failure) -> action.run());
        }
    }
}
