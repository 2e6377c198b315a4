package io.evenkeel.client.embedded;

import com.google.rpc.Code;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.embedded.UnaryCalls.UnaryCall;
import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.v1.Revision;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Answers requests: on the caller's thread where it waits or where that is short, else on an executor. */
final class CallExecution {
    private final PlacementHandler placement;
    private final Executor executor;

    CallExecution(PlacementHandler placement, Executor executor) {
        this.placement = placement;
        this.executor = executor;
    }

    /** Answers on this thread, after the revision demanded was reached. */
    <Q, A> A answer(UnaryCall<Q, A> call, Q request, Duration deadline) {
        BooleanSupplier late = after(deadline);
        Revision demanded = call.demanded().apply(request);
        if (!placement.isReached(demanded)) {
            await(placement.reach(demanded, deadline));
        }
        try {
            return call.prepare().apply(request).answer(late);
        } catch (CancellationException over) {
            throw late(over);
        }
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

    private static void await(CompletableFuture<Void> reached) {
        try {
            reached.get();
        } catch (InterruptedException interrupted) {
            reached.cancel(false);
            Thread.currentThread().interrupt();
            throw Failures.cancelled("interrupted while waiting for a revision", interrupted);
        } catch (ExecutionException failed) {
            throw Failures.of(failed.getCause());
        }
    }

    /** Completes {@code answer}, sooner or later. Cancelling it gives the wait for a revision up, and the work. */
    <Q, A> void begin(UnaryCall<Q, A> call, Q request, Duration deadline, CompletableFuture<A> answer) {
        BooleanSupplier late = after(deadline);
        BooleanSupplier over = () -> answer.isDone() || late.getAsBoolean();
        try {
            Revision demanded = call.demanded().apply(request);
            if (placement.isReached(demanded)) {
                Prepared<A> prepared = call.prepare().apply(request);
                if (prepared.isShort()) {
                    answer.complete(prepared.answer());
                } else {
                    later(() -> prepared.answer(over), answer);
                }
                return;
            }
            CompletableFuture<Void> reached = placement.reach(demanded, deadline);
            Completion.of(reached, (nothing, failure) -> {
                if (failure == null) {
                    later(() -> call.prepare().apply(request).answer(over), answer);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
            Completion.of(answer, (value, failure) -> reached.cancel(false));
        } catch (RuntimeException failed) {
            answer.completeExceptionally(failed);
        }
    }

    private <A> void later(Supplier<A> work, CompletableFuture<A> answer) {
        try {
            executor.execute(() -> {
                try {
                    answer.complete(work.get());
                } catch (CancellationException over) {
                    // Without effect where it was cancelled.
                    answer.completeExceptionally(late(over));
                } catch (RuntimeException failed) {
                    answer.completeExceptionally(failed);
                }
            });
        } catch (RejectedExecutionException full) {
            answer.completeExceptionally(
                    new PlacementException(Code.RESOURCE_EXHAUSTED, "the client's executor takes no more work", full));
        }
    }
}
