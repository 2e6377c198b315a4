package io.evenkeel.service;

import io.evenkeel.placement.call.RequestException;
import io.grpc.Context;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of one call in order, without blocking the event loop: quick steps run at once, and long ones on a
 * pool. Steps that come while a long one runs are run after it.
 *
 * <p>The thread that sets {@link #busy} is the only one that runs steps, until it clears it.
 */
final class CallSteps {
    private final Consumer<Throwable> failed;
    private final Queue<Step> waiting = new ArrayDeque<>();
    private boolean busy;

    /** @param pool the pool that runs the step; null for a quick step */
    private record Step(Runnable work, @Nullable Pooled pool) {}

    /**
     * @param handsOver whether the pool is the one for the work that the step passes on, so that this is done at once
     */
    private record Pooled(WorkerPool pool, boolean handsOver, boolean evenIfFull, Consumer<RequestException> refused) {
        /** Returns why the pool does not take the task; null where it does. */
        @Nullable
        RequestException add(Runnable task) {
            return handsOver ? pool.handOver(task, evenIfFull) : pool.add(task, evenIfFull);
        }
    }

    /** @param failed called with what a step has thrown that was not run at once in the caller's thread */
    CallSteps(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Runs a quick step: in this thread, unless a long step is under way, and in the context of this thread. */
    void run(Runnable work) {
        synchronized (this) {
            if (busy) {
                waiting.add(new Step(Context.current().wrap(work), null));
                return;
            }
        }
        work.run();
    }

    /**
     * Runs a long step on {@code pool}, in the context of this thread.
     *
     * @param evenIfFull whether the step may wait even where the pool's queue is full
     * @param refused called instead of the step, with the reason, where the queue is full or the pool is closed
     */
    void runOn(WorkerPool pool, Runnable work, boolean evenIfFull, Consumer<RequestException> refused) {
        runOn(work, new Pooled(pool, true, evenIfFull, refused));
    }

    /**
     * Runs a long step on another pool than that of the steps behind it. What these add to their pool is not run in
     * this step's thread.
     *
     * @param refused called instead of the step, with the reason, where the queue is full or the pool is closed
     */
    void runApart(WorkerPool pool, Runnable work, Consumer<RequestException> refused) {
        runOn(work, new Pooled(pool, false, false, refused));
    }

    private void runOn(Runnable work, Pooled pooled) {
        Step step = new Step(Context.current().wrap(work), pooled);
        synchronized (this) {
            if (busy) {
                waiting.add(step);
                return;
            }
            busy = true;
        }
        submit(step.work, step.pool);
    }

    private void submit(Runnable work, @Nullable Pooled on) {
        if (on == null) {
            throw new IllegalArgumentException("a quick step has no pool");
        }
        Runnable task = () -> {
            perform(work);
            proceed();
        };
        RequestException why = on.add(task);
        if (why != null) {
            on.refused.accept(why);
            proceed();
        }
    }

    private void proceed() {
        while (true) {
            Step next;
            synchronized (this) {
                next = waiting.poll();
                if (next == null) {
                    busy = false;
                    return;
                }
            }
            if (next.pool != null) {
                submit(next.work, next.pool);
                return;
            }
            perform(next.work);
        }
    }

    private void perform(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            failed.accept(e);
        } catch (Error e) {
            // The thread ends with it; the call must end, and the steps behind this one must be run.
            failed.accept(e);
            proceed();
            throw e;
        }
    }
}
