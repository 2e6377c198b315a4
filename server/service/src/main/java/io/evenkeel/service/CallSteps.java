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

    /** @param pool the pool that runs the step; null for a quick step */
    private record Step(Runnable work, @Nullable Pooled pool) {}

    /** @param handsOver whether the work that the step passes on belongs to the same pool, so that it runs at once */
    private record Pooled(WorkerPool pool, boolean handsOver, boolean evenIfFull, Consumer<RequestException> refused) {
        /** Returns why the pool rejects the task; null if it accepts it. */
        @Nullable
        RequestException add(Runnable task) {
            return handsOver ? pool.handOver(task, evenIfFull) : pool.add(task, evenIfFull);
        }
    }

    /** @param failed called with the exception of a step */
    CallSteps(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Runs a quick step: at once in this thread, unless a long step is running. */
    void run(Runnable work) {
        queue.add(new Step(work, null));
    }

    /**
     * Runs a long step on {@code pool}.
     *
     * @param evenIfFull whether the step is queued even if the pool's queue is full
     * @param refused called instead of the step, with the reason, if the queue is full or the pool is closed
     */
    void runOn(WorkerPool pool, Runnable work, boolean evenIfFull, Consumer<RequestException> refused) {
        queue.add(new Step(work, new Pooled(pool, true, evenIfFull, refused)));
    }

    /**
     * Runs a long step on a different pool from that of the following steps. What those add to their pool does not run
     * in this step's thread.
     *
     * @param refused called instead of the step, with the reason, if the queue is full or the pool is closed
     */
    void runApart(WorkerPool pool, Runnable work, Consumer<RequestException> refused) {
        queue.add(new Step(work, new Pooled(pool, false, false, refused)));
    }

    /** Runs a step by answering with its work, in the thread of its pool. */
    private void handle(Step step, Call<Runnable> call) {
        Pooled pooled = step.pool;
        if (pooled == null) {
            call.answer(step.work);
        } else {
            // A step that has waited is added by a thread of a pool, but counts towards the connection of its call.
            context.run(() -> add(pooled, step.work, call));
        }
    }

    private static void add(Pooled pooled, Runnable work, Call<Runnable> call) {
        RequestException why = pooled.add(() -> call.answer(work));
        if (why != null) {
            call.answer(() -> pooled.refused.accept(why));
        }
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
