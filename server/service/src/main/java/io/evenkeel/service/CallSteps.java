package io.evenkeel.service;

import io.grpc.Context;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs what happens to one call in order, though some of it takes long: quick steps at once, long ones on a pool, and
 * what comes meanwhile after them. The event loop is never held up.
 *
 * <p>Whoever sets {@link #busy} is the only one that runs steps, until it clears it.
 */
final class CallSteps {
    private final Consumer<Throwable> failed;
    private final Queue<Step> waiting = new ArrayDeque<>();
    private boolean busy;

    /** @param pool where it is run; null for a quick step */
    private record Step(Runnable work, @Nullable Pooled pool) {}

    private record Pooled(WorkerPool pool, boolean evenIfFull, Runnable refused) {}

    /** @param failed told of what a step on a pool throws */
    CallSteps(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Runs a quick step: on this thread, unless a long one is under way. */
    void run(Runnable work) {
        synchronized (this) {
            if (busy) {
                waiting.add(new Step(work, null));
                return;
            }
        }
        work.run();
    }

    /**
     * Runs a long step on {@code pool}, in the context of this thread.
     *
     * @param evenIfFull whether it may wait where too much waits already
     * @param refused run in its place where it may not
     */
    void runOn(WorkerPool pool, Runnable work, boolean evenIfFull, Runnable refused) {
        Step step = new Step(Context.current().wrap(work), new Pooled(pool, evenIfFull, refused));
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
            try {
                work.run();
            } catch (RuntimeException e) {
                failed.accept(e);
            }
            proceed();
        };
        if (!on.pool.handOver(task, on.evenIfFull)) {
            on.refused.run();
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
            try {
                next.work.run();
            } catch (RuntimeException e) {
                failed.accept(e);
            }
        }
    }
}
