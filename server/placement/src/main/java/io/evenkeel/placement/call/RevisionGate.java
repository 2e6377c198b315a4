package io.evenkeel.placement.call;

import io.evenkeel.objects.Quotes;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
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
 * Lets calls wait until the state is as new as they demand: until it has reached a revision. A waiting call holds no
 * thread: the writer that reaches the revision completes it, or a timer does. Safe for use by several threads.
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

    /** Whether there is nothing to wait for, and nothing to refuse. */
    public boolean isReached(Freshness demanded) {
        return FreshnessDemands.isRevisionOnly(demanded) && isReached(demanded.getRevision());
    }

    private boolean isReached(Revision demanded) {
        return demanded.getInstance().equals(instance)
                ? revision.getAsLong() >= demanded.getCounter()
                : demanded.equals(Revision.getDefaultInstance());
    }

    /** Refuses demands that are not met ({@link #isReached}). */
    void require(Freshness demanded) {
        if (!isReached(demanded)) {
            requireReachable(demanded);
            throw notReached(demanded.getRevision());
        }
    }

    /** Refuses what cannot be met by waiting. */
    private void requireReachable(Freshness demanded) {
        FreshnessDemands.requireRevisionOnly(demanded);
        Revision own = demanded.getRevision();
        if (!own.getInstance().equals(instance)) {
            throw RequestException.notReached(
                    ErrorReason.ERROR_REASON_OTHER_INSTANCE,
                    "freshness.revision must be of this instance, " + instance + ", was of "
                            + (own.getInstance().isEmpty() ? "none" : Quotes.shortened(own.getInstance())),
                    now());
        }
    }

    private RequestException notReached(Revision demanded) {
        Revision reached = now();
        return RequestException.notReached(
                ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME,
                "revision " + demanded.getCounter() + " was not reached in time: the state is at "
                        + reached.getCounter() + " of instance " + instance,
                reached);
    }

    private Revision now() {
        return Revision.newBuilder()
                .setInstance(instance)
                .setCounter(revision.getAsLong())
                .build();
    }

    /**
     * A future that completes when the state is as new as demanded. It fails with a {@link RequestException} where that
     * cannot be, or is not reached in time. The writer's thread completes it, so dependent work must not run in that
     * thread. Cancel it where nobody waits any more.
     */
    public CompletableFuture<Void> reach(Freshness demanded, Duration atMost) {
        CompletableFuture<Void> reached = new CompletableFuture<>();
        if (isReached(demanded)) {
            reached.complete(null);
            return reached;
        }
        try {
            requireReachable(demanded);
            await(
                    demanded.getRevision(),
                    atMost.compareTo(limits.longestWait()) < 0 ? atMost : limits.longestWait(),
                    reached);
        } catch (RequestException e) {
            reached.completeExceptionally(e);
        }
        return reached;
    }

    private void await(Revision demanded, Duration atMost, CompletableFuture<Void> reached) {
        Waiter waiter = new Waiter(demanded.getCounter(), reached);
        synchronized (waiters) {
            if (closed) {
                throw stopping();
            }
            if (waiters.size() >= limits.waitingCalls()) {
                throw RequestException.tooBusy("the server has " + limits.waitingCalls()
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
        return RequestException.notReached(ErrorReason.ERROR_REASON_STOPPING, "the server is stopping", now());
    }
}
