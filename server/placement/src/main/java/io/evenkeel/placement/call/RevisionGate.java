package io.evenkeel.placement.call;

import io.evenkeel.v1.Revision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls wait until the state has reached the revision that they demand. A waiting call holds no thread: the writer
 * that reaches the revision completes it, or a timer does. Safe for use by several threads.
 */
public final class RevisionGate {
    private static final long NOBODY = Long.MAX_VALUE;

    private final String instance;
    private final LongSupplier revision;
    private final ScheduledExecutorService timer;
    private final Limits limits;
    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>(Comparator.comparingLong(Waiter::counter));

    /**
     * The lowest counter that a call waits for, so that a writer takes no lock while no call waits for its revision.
     */
    private volatile long nearest = NOBODY;

    private boolean closed;

    private record Waiter(long counter, CompletableFuture<Void> reached) {}

    public RevisionGate(String instance, LongSupplier revision, ScheduledExecutorService timer, Limits limits) {
        this.instance = instance;
        this.revision = revision;
        this.timer = timer;
        this.limits = limits;
    }

    /** Whether there is nothing to wait for. */
    public boolean isReached(Revision demanded) {
        return demanded.getInstance().equals(instance)
                ? Long.compareUnsigned(revision.getAsLong(), demanded.getCounter()) >= 0
                : demanded.equals(Revision.getDefaultInstance());
    }

    /** Refuses a revision that is not reached ({@link #isReached}). */
    void require(Revision demanded) {
        if (!isReached(demanded)) {
            requireOwn(demanded);
            throw notReached(demanded);
        }
    }

    private void requireOwn(Revision demanded) {
        if (!demanded.getInstance().equals(instance)) {
            throw RequestException.notReached(
                    ErrorCode.FAILED_PRECONDITION,
                    "atLeast must be a revision of this instance, " + instance + ", was one of "
                            + (demanded.getInstance().isEmpty() ? "none" : demanded.getInstance()),
                    now());
        }
    }

    private RequestException notReached(Revision demanded) {
        Revision reached = now();
        return RequestException.waitedInVain(
                "revision " + Long.toUnsignedString(demanded.getCounter())
                        + " was not reached in time: the state is at " + Long.toUnsignedString(reached.getCounter())
                        + " of instance " + instance,
                reached);
    }

    private Revision now() {
        return Revision.newBuilder()
                .setInstance(instance)
                .setCounter(revision.getAsLong())
                .build();
    }

    /**
     * A future that completes when the state has reached the revision. It fails with a {@link RequestException} where
     * the revision belongs to another instance, or is not reached in time. The writer's thread completes it, so
     * dependent work must not run in that thread. Cancel it where nobody waits any more.
     */
    public CompletableFuture<Void> reach(Revision demanded, Duration atMost) {
        CompletableFuture<Void> reached = new CompletableFuture<>();
        if (isReached(demanded)) {
            reached.complete(null);
            return reached;
        }
        try {
            requireOwn(demanded);
            await(demanded, atMost.compareTo(limits.longestWait()) < 0 ? atMost : limits.longestWait(), reached);
        } catch (RequestException e) {
            reached.completeExceptionally(e);
        }
        return reached;
    }

    private void await(Revision demanded, Duration atMost, CompletableFuture<Void> reached) {
        // Counters are unsigned on the wire. No counter becomes so large that it is negative here.
        Waiter waiter = new Waiter(demanded.getCounter() < 0 ? NOBODY : demanded.getCounter(), reached);
        synchronized (waiters) {
            if (closed) {
                throw stopping();
            }
            if (waiters.size() >= limits.waitingCalls()) {
                throw RequestException.of(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "the server has " + limits.waitingCalls()
                                + " calls waiting for a revision already: ask again later");
            }
            waiters.add(waiter);
            updateNearest();
        }
        // Looks again, because a write between the check above and the entry would not have seen this waiter.
        advance(revision.getAsLong());
        ScheduledFuture<?> timeout;
        try {
            timeout = timer.schedule(
                    () -> reached.completeExceptionally(notReached(demanded)), atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            remove(waiter);
            throw stopping();
        }
        CompletableFuture<Void> unused = reached.whenComplete((done, error) -> {
            timeout.cancel(false);
            if (error != null) {
                remove(waiter);
            }
        });
    }

    private void remove(Waiter waiter) {
        synchronized (waiters) {
            waiters.remove(waiter);
            updateNearest();
        }
    }

    /** Called when the state has reached {@code counter}. */
    public void advance(long counter) {
        if (counter < nearest) {
            return;
        }
        List<Waiter> due = new ArrayList<>();
        synchronized (waiters) {
            for (Waiter next = first(); next != null && next.counter <= counter; next = first()) {
                due.add(next);
                waiters.poll();
            }
            updateNearest();
        }
        due.forEach(waiter -> waiter.reached.complete(null));
    }

    private @Nullable Waiter first() {
        return waiters.peek();
    }

    private void updateNearest() {
        Waiter first = first();
        nearest = first == null ? NOBODY : first.counter;
    }

    /** Fails all calls that wait, and refuses new ones. */
    public void close() {
        List<Waiter> left;
        synchronized (waiters) {
            closed = true;
            left = List.copyOf(waiters);
        }
        left.forEach(waiter -> waiter.reached.completeExceptionally(stopping()));
    }

    private RequestException stopping() {
        return RequestException.notReached(ErrorCode.UNAVAILABLE, "the server is stopping", now());
    }
}
