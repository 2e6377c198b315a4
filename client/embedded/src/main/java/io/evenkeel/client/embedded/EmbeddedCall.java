package io.evenkeel.client.embedded;

import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Transport;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.TaskPool;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A unary call to a handler in this process. Cancelling it stops the wait for a newer state and the work.
 *
 * @param <R> what the handler answers
 * @param <A> what the caller receives
 */
final class EmbeddedCall<R, A> implements Call<R> {
    private final Function<R, A> result;
    private final Duration deadline;
    private final long begin = System.nanoTime();
    private final TaskPool pool;
    private final CompletableFuture<A> answer = new CompletableFuture<>();

    /**
     * @param result reads the message in the handler's answer
     * @param pool runs its long work; null for the thread in {@link #await}
     */
    EmbeddedCall(Function<R, A> result, Duration deadline, @Nullable TaskPool pool) {
        this.result = result;
        this.deadline = deadline;
        this.pool = pool == null ? new CallersThread() : pool;
    }

    @Override
    public void answer(R given) {
        answer.complete(result.apply(given));
    }

    @Override
    public void fail(Throwable why) {
        // No effect if the call was cancelled.
        answer.completeExceptionally(
                why instanceof CancellationException
                        ? new PlacementException(
                                ErrorCode.DEADLINE_EXCEEDED, "the deadline passed before the answer was complete", why)
                        : why);
    }

    @Override
    public boolean isStopped() {
        return answer.isDone() || System.nanoTime() - begin > deadline.toNanos();
    }

    @Override
    public void onStop(Runnable action) {
        var unused = answer.whenComplete((value, failure) -> action.run());
    }

    @Override
    public Duration patience() {
        return deadline;
    }

    /** All callers in a process are one. */
    @Override
    public Object identity() {
        return EmbeddedCall.class;
    }

    @Override
    public TaskPool pool() {
        return pool;
    }

    void cancel() {
        answer.cancel(false);
    }

    /** Delivers the answer or the failure: now, or in the thread that completes the call. */
    void report(Transport.Answers<A> answers) {
        var unused = answer.whenComplete((value, failure) -> {
            if (failure == null) {
                answers.answered(value);
            }
            answers.ended(failure == null ? null : Failures.of(failure));
        });
    }

    /** Returns the answer, once the handler has begun. Long work, and work after a wait, is done by this thread. */
    A await() {
        try {
            if (!answer.isDone() && pool instanceof CallersThread here) {
                onStop(() -> here.work.complete(() -> {}));
                here.work.get().run();
            }
            return answer.get();
        } catch (InterruptedException interrupted) {
            cancel();
            Thread.currentThread().interrupt();
            throw Failures.cancelled("interrupted while waiting for a revision", interrupted);
        } catch (ExecutionException failed) {
            throw Failures.of(Objects.requireNonNull(failed.getCause()));
        }
    }

    /** Runs tasks in the thread of the caller, which waits for them. */
    private static final class CallersThread implements TaskPool {
        /** Allocated for each call, although few wait, because the writer may complete it before the caller waits. */
        private final CompletableFuture<Runnable> work = new CompletableFuture<>();

        @Override
        public void execute(Runnable task, Consumer<Throwable> refused) {
            task.run();
        }

        @Override
        public void later(Object caller, int bytes, Runnable task, Consumer<Throwable> refused) {
            work.complete(task);
        }

        @Override
        public Object caller() {
            return this;
        }

        @Override
        public int waitingBytes(int bytes) {
            return 0;
        }
    }
}
