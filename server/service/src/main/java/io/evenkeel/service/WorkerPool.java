package io.evenkeel.service;

import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A thread pool for one kind of work that would block the event loop, with a bounded queue. Connections take turns, so
 * that a connection with many calls mainly delays its own calls. If a connection causes an {@link Overload}, only its
 * latest tasks keep waiting, so that what is run has not waited long.
 *
 * <pre>
 *   turns     A ── B ── C          connections with work waiting; a thread takes the oldest task of the first
 *                                  connection, and that connection moves to the end
 *   waiting   A: a1 a2 a3 a4       one connection has at most half of the tasks and half of the bytes
 *             B: b1
 *             C: c1 c2
 *   bytes     the serialized size of the parsed requests that waiting tasks hold; parsed, they are many times larger
 * </pre>
 *
 * <p>Thread-safe.
 */
final class WorkerPool implements TaskPool, AutoCloseable {
    /** A parsed request can take twenty times its serialized size. */
    private static final int LARGE_BYTES = 1 << 20;

    /**
     * How many tasks of a connection that causes an overload keep waiting. With two, a thread that becomes free finds
     * one even if another thread has just taken one.
     */
    private static final int WAITING_IN_OVERLOAD = 2;

    /** Refusing a task takes the adding thread some tens of microseconds. */
    private static final int MAX_REFUSED_AT_ONCE = 8;

    private final String work;
    private final int maxWaiting;
    private final long maxBytes;
    private final RefusalMetrics refusals;
    private final @Nullable Overload overload;
    private final @Nullable WorkerPool large;
    private final ThreadPoolExecutor threads;
    private final Map<Object, Line> waiting = new HashMap<>();
    private final Queue<Object> turns = new ArrayDeque<>();
    private int count;
    private long bytes;

    /**
     * @param bytes the serialized size of the parsed request that it holds, or 0
     * @param evenIfFull whether it is queued even if the queue is full, and always run
     * @param refused called with the reason instead of {@code run}
     */
    private record Task(Runnable run, long bytes, boolean evenIfFull, Consumer<? super RequestException> refused) {}

    /** The tasks of one connection, oldest first. */
    private static final class Line {
        private final Queue<Task> tasks = new ArrayDeque<>();
        private long bytes;
    }

    /** A thread of a pool. */
    private final class Worker extends Thread {
        /** Whether the thread is passing a request to its call. Tasks of that call then run at once in this thread. */
        private boolean handsOver;

        Worker(Runnable work, String name) {
            super(work, name);
            setDaemon(true);
        }

        boolean handsOverTo(WorkerPool pool) {
            return handsOver && (pool == WorkerPool.this || pool.large == WorkerPool.this);
        }
    }

    /**
     * @param work the kind of work, as a plural noun
     * @param maxWaiting the capacity of the queue
     * @param maxBytes the maximum total size of the parsed requests of waiting tasks
     * @param refusals counts the tasks that are rejected because the queue is full
     * @param overload notices an overload, unless null: then the queue is always filled
     * @param large reads and answers large requests instead of this pool, unless null
     */
    WorkerPool(
            String work,
            int threads,
            int maxWaiting,
            long maxBytes,
            RefusalMetrics refusals,
            @Nullable Overload overload,
            @Nullable WorkerPool large) {
        this.work = work;
        this.overload = overload;
        this.large = large;
        this.maxWaiting = maxWaiting;
        this.maxBytes = maxBytes;
        this.refusals = refusals;
        AtomicInteger number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                threads,
                threads,
                1,
                TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(),
                task -> new Worker(task, "evenkeel-" + work.replace(' ', '-') + "-" + number.incrementAndGet()));
        this.threads.allowCoreThreadTimeOut(true);
    }

    WorkerPool(String work, int threads, int maxWaiting, long maxBytes, RefusalMetrics refusals) {
        this(work, threads, maxWaiting, maxBytes, refusals, null, null);
    }

    /** Starts all threads and keeps them, so that the first callers do not wait for a thread to start. */
    void start() {
        threads.allowCoreThreadTimeOut(false);
        threads.prestartAllCoreThreads();
    }

    /**
     * Runs {@code task} in a thread of the pool, or at once in this thread if it is passing the same call's request on.
     * If the queue is full or the pool is closed, {@code refused} is called at once with a {@link RequestException}.
     */
    @Override
    public void execute(Runnable task, Consumer<Throwable> refused) {
        if (Thread.currentThread() instanceof Worker worker && worker.handsOverTo(this)) {
            worker.handsOver = false;
            try {
                task.run();
            } finally {
                worker.handsOver = true;
            }
        } else {
            later(task, refused);
        }
    }

    /** Runs {@code task} like {@link #execute}, but always in another thread of the pool. */
    void later(Runnable task, Consumer<Throwable> refused) {
        OpenCall call = OpenCall.current();
        laterFor(current(), task, call == null ? 0 : call.requestBytes(), refused);
    }

    @Override
    public void later(Object caller, int bytes, Runnable task, Consumer<Throwable> refused) {
        // The request is read by the task, so until then nothing parsed is held.
        forSize(bytes).laterFor(caller, task, 0, refused);
    }

    /** The pool that reads and answers requests of {@code bytes} bytes. */
    WorkerPool forSize(int bytes) {
        WorkerPool other = large;
        return other == null || bytes <= LARGE_BYTES ? this : other;
    }

    @Override
    public Object caller() {
        return current();
    }

    /**
     * @param caller the connection that the task belongs to
     * @param bytes the serialized size of the parsed request that the task holds
     */
    void laterFor(Object caller, Runnable task, long bytes, Consumer<Throwable> refused) {
        add(caller, new Task(task, bytes, false, refused));
    }

    /**
     * Passes a request to its call in a thread of the pool. Within {@code task}, {@link #execute} of the same pool runs
     * its argument at once.
     *
     * @param evenIfFull whether the task is queued even if the queue is full, and not refused later
     * @param refused called with the reason if the task is not run
     */
    void handOver(Runnable task, boolean evenIfFull, Consumer<? super RequestException> refused) {
        add(current(), new Task(() -> handOver(task), 0, evenIfFull, refused));
    }

    private void handOver(Runnable task) {
        Worker worker = (Worker) Thread.currentThread();
        worker.handsOver = true;
        try {
            task.run();
        } finally {
            worker.handsOver = false;
        }
    }

    private static Object current() {
        OpenCall call = OpenCall.current();
        return call == null ? WorkerPool.class : call.connection();
    }

    /** Adds a task to the queue, or refuses it. In an overload, refuses older tasks of its connection instead. */
    private void add(Object caller, Task task) {
        RequestException why;
        List<Task> surplus;
        synchronized (waiting) {
            why = task.evenIfFull ? null : whyFull(caller, task);
            if (why == null) {
                Line own = append(caller, task);
                surplus = overload == null ? List.of() : surplus(caller, own, overload);
                if (!surplus.isEmpty()) {
                    why = busy("the server has more " + work + " than it can answer");
                }
            } else {
                surplus = List.of(task);
            }
        }
        if (why != null) {
            for (Task each : surplus) {
                refusals.count(RefusalMetrics.Why.BUSY);
                each.refused.accept(why);
            }
            if (surplus.contains(task)) {
                return;
            }
        }
        try {
            threads.execute(this::runNext);
        } catch (RejectedExecutionException e) {
            if (withdraw(caller, task)) {
                task.refused.accept(RequestException.stopping("call again"));
            }
        }
    }

    /** Removes a task from the queue. Returns false if a thread took it before the pool was closed. */
    private boolean withdraw(Object caller, Task task) {
        synchronized (waiting) {
            Line own = waiting.get(caller);
            if (own == null || !own.tasks.remove(task)) {
                return false;
            }
            isTaken(own, task);
            if (own.tasks.isEmpty()) {
                waiting.remove(caller);
                turns.remove(caller);
            }
            return true;
        }
    }

    private @Nullable RequestException whyFull(Object caller, Task task) {
        Line own = waiting.get(caller);
        int ofCaller = own == null ? 0 : own.tasks.size();
        if (count >= maxWaiting) {
            return busy("the server already has " + maxWaiting + " waiting " + work);
        }
        if (ofCaller >= (maxWaiting + 1) / 2) {
            return busy("the server already has " + ofCaller + " waiting " + work + " of this connection");
        }
        long bytesOfCaller = own == null ? 0 : own.bytes;
        if (isTooMuch(bytes, task.bytes, maxBytes) || isTooMuch(bytesOfCaller, task.bytes, maxBytes / 2)) {
            return busy("requests of waiting " + work + " are limited to " + maxBytes
                    + " bytes in total, and half of that on one connection");
        }
        return null;
    }

    private RequestException busy(String why) {
        String message = why + ": retry later";
        return overload == null
                ? RequestException.tooBusy(message)
                : RequestException.tooBusy(message, overload.delay(count, threads.getCorePoolSize()));
    }

    /** A single request can have any size. */
    private static boolean isTooMuch(long bytes, long more, long most) {
        return bytes > 0 && more > most - bytes;
    }

    private Line append(Object caller, Task task) {
        Line own = waiting.get(caller);
        if (own == null) {
            own = new Line();
            waiting.put(caller, own);
            turns.add(caller);
        }
        if (count == 0 && overload != null) {
            overload.queueBegins();
        }
        own.tasks.add(task);
        own.bytes += task.bytes;
        bytes += task.bytes;
        count++;
        return own;
    }

    /** Removes the oldest tasks of a connection that are to be refused because of an overload. */
    private List<Task> surplus(Object caller, Line own, Overload overload) {
        int more = own.tasks.size() - WAITING_IN_OVERLOAD;
        if (more <= 0 || !overload.refuses(caller, own.tasks.size())) {
            return List.of();
        }
        List<Task> surplus = new ArrayList<>();
        Iterator<Task> oldest = own.tasks.iterator();
        while (oldest.hasNext() && surplus.size() < Math.min(more, MAX_REFUSED_AT_ONCE)) {
            Task task = oldest.next();
            if (!task.evenIfFull) {
                oldest.remove();
                isTaken(own, task);
                surplus.add(task);
            }
        }
        return surplus;
    }

    private void isTaken(Line own, Task task) {
        own.bytes -= task.bytes;
        bytes -= task.bytes;
        count--;
    }

    private void runNext() {
        Task task;
        synchronized (waiting) {
            Object caller = turns.poll();
            if (caller == null) {
                // Its task was refused.
                return;
            }
            Line own = waiting.get(caller);
            if (own == null) {
                throw new IllegalStateException("empty queue for a scheduled connection");
            }
            task = own.tasks.remove();
            isTaken(own, task);
            if (own.tasks.isEmpty()) {
                waiting.remove(caller);
            } else {
                turns.add(caller);
            }
        }
        if (overload == null) {
            task.run.run();
        } else {
            run(task, overload);
        }
    }

    private void run(Task task, Overload overload) {
        long begin = System.nanoTime();
        try {
            task.run.run();
        } finally {
            long nanos = System.nanoTime() - begin;
            synchronized (waiting) {
                overload.ran(nanos);
            }
        }
    }

    /** Drops all waiting tasks. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
