package io.evenkeel.placement.call;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A pool for one request with a time limit. A task that has not started when the limit passes is dropped, and the
 * caller is notified. A task that has started continues and must check the time itself. Thread-safe.
 *
 * <pre>
 *   a task waits ──► taken by a thread of the pool ──► run
 *                └─► taken by the timer            ──► expired
 * </pre>
 */
final class ExpiringPool implements TaskPool {
    private static final java.time.Duration EVER = Limits.LONGEST;

    private final TaskPool pool;
    private final TimeLimit limit;
    private final ScheduledExecutorService timer;
    private final Runnable expired;

    /**
     * @param timer runs {@code expired}, which must not take long
     * @param expired called instead of a task that has expired
     */
    ExpiringPool(TaskPool pool, TimeLimit limit, ScheduledExecutorService timer, Runnable expired) {
        this.pool = pool;
        this.limit = limit;
        this.timer = timer;
        this.expired = expired;
    }

    @Override
    public void execute(Runnable task, Consumer<Throwable> refused) {
        Waiting waiting = new Waiting(task);
        pool.execute(waiting, waiting.unlessTaken(refused));
    }

    @Override
    public void later(Runnable task, Consumer<Throwable> refused) {
        Waiting waiting = new Waiting(task);
        pool.later(waiting, waiting.unlessTaken(refused));
    }

    @Override
    public Object caller() {
        return pool.caller();
    }

    @Override
    public TaskPool forThisCaller() {
        return new ExpiringPool(pool.forThisCaller(), limit, timer, expired);
    }

    /** A task until it is taken. Afterwards, the entry left in the pool's queue no longer references the request. */
    private final class Waiting implements Runnable {
        private final AtomicReference<@Nullable Runnable> task;
        private final @Nullable ScheduledFuture<?> timeout;

        Waiting(Runnable task) {
            this.task = new AtomicReference<>(task);
            timeout = schedule();
        }

        private @Nullable ScheduledFuture<?> schedule() {
            try {
                return timer.schedule(this::expire, limit.left(EVER).toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The instance is closing: the task either runs or is rejected.
                return null;
            }
        }

        private @Nullable Runnable take() {
            if (timeout != null) {
                timeout.cancel(false);
            }
            return task.getAndSet(null);
        }

        @Override
        public void run() {
            Runnable taken = take();
            if (taken != null) {
                taken.run();
            }
        }

        private void expire() {
            if (task.getAndSet(null) != null) {
                expired.run();
            }
        }

        Consumer<Throwable> unlessTaken(Consumer<Throwable> refused) {
            return why -> {
                if (take() != null) {
                    refused.accept(why);
                }
            };
        }
    }
}
