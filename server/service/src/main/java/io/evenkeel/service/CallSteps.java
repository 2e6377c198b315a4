package io.evenkeel.service;

import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SerialQueue;
import io.grpc.Context;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of one call in order, without blocking the event loop: quick steps run at once, long ones on a pool.
 * Steps that are added while a long one runs wait for it. All run in the context of the thread that creates this.
 */
final class CallSteps {
    private final Context context = Context.current();
    private final Consumer<Throwable> failed;
    private final SerialQueue<Step, Runnable> queue = new SerialQueue<>(this::handle, new Steps());

    /**
     * @param pool the pool that runs the step; null for a quick step
     * @param refused called instead of the step, with the reason, if the pool rejects it
     */
    private record Step(
            Runnable work, @Nullable WorkerPool pool, boolean evenIfFull, Consumer<RequestException> refused) {}

    /** @param failed called with the exception of a step */
    CallSteps(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Runs a quick step: at once in this thread, unless a long step is running. */
    void run(Runnable work) {
        queue.add(new Step(work, null, false, why -> {}));
    }

    /**
     * Runs a long step on {@code pool}.
     *
     * @param evenIfFull whether the step is queued even if the pool's queue is full
     * @param refused called instead of the step, with the reason, if the queue is full or the pool is closed
     */
    void runOn(WorkerPool pool, Runnable work, boolean evenIfFull, Consumer<RequestException> refused) {
        queue.add(new Step(work, pool, evenIfFull, refused));
    }

    /** Runs a step by answering with its work, in the thread of its pool. */
    private void handle(Step step, Call<Runnable> call) {
        WorkerPool pool = step.pool;
        if (pool == null) {
            call.answer(step.work);
        } else {
            // A step that has waited is added by a thread of a pool, but counts towards the connection of its call.
            context.run(() -> add(pool, step, call));
        }
    }

    private static void add(WorkerPool pool, Step step, Call<Runnable> call) {
        pool.handOver(
                () -> call.answer(step.work), step.evenIfFull, why -> call.answer(() -> step.refused.accept(why)));
    }

    private final class Steps implements SerialQueue.Outlet<Runnable> {
        @Override
        public void answered(Runnable work) {
            try {
                context.run(work);
            } catch (RuntimeException | Error e) {
                // The call ends, and the following steps run to release what it holds.
                failed.accept(e);
            }
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            if (failure != null) {
                failed.accept(failure);
            }
        }
    }
}
