package io.evenkeel.service;

import io.evenkeel.placement.call.RequestException;
import io.grpc.Context;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of one call in order, without blocking the event loop: quick steps run at once, long ones on a pool.
 * Steps that are added while a long one runs wait for it.
 *
 * <p>The thread that sets {@link #busy} is the only one that runs steps, until it clears it.
 */
final class CallSteps {
    private final Consumer<Throwable> failed;
    private final Queue<Step> waiting = new ArrayDeque<>();
    private boolean busy;

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

    /** @param failed called with the exception of a step, unless the step ran in the caller's thread */
    CallSteps(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Runs a quick step with the context of this thread: at once in this thread, unless a long step is running. */
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
     * Runs a long step on {@code pool}, with the context of this thread.
     *
     * @param evenIfFull whether the step is queued even if the pool's queue is full
     * @param refused called instead of the step, with the reason, if the queue is full or the pool is closed
     */
    void runOn(WorkerPool pool, Runnable work, boolean evenIfFull, Consumer<RequestException> refused) {
        runOn(work, new Pooled(pool, true, evenIfFull, refused));
    }

    /**
     * Runs a long step on a different pool from that of the following steps. What those add to their pool does not run
     * in this step's thread.
     *
     * @param refused called instead of the step, with the reason, if the queue is full or the pool is closed
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
            // The thread dies with the error, but the call must end and the following steps must run.
            failed.accept(e);
            proceed();
            throw e;
        }
    }
}
