package io.evenkeel.placement.call;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Revision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait until the state has reached a revision and contains every event up to some resource versions. A
 * waiting call does not block a thread. The writer that reaches both completes it; otherwise a timer fails it.
 * {@link WaitingRoom} limits their number. Thread-safe.
 */
public final class WaitingCalls {
    private static final long NO_CALL_WAITS = Long.MAX_VALUE;

    private final Supplier<Revision> reached;
    private final FreshnessDemands demands;
    private final ScheduledExecutorService timer;
    private final Duration longestWait;

    /** Calls that wait only for a revision. */
    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>(Comparator.comparingLong(Waiter::counter));

    /** Calls that wait for resource versions, and possibly for a revision as well. */
    private final Set<Waiter> versionWaiters = new LinkedHashSet<>();

    /**
     * The lowest counter that a call waits for, so that a writer need not take the lock if no call waits for its
     * revision. 0 while a call waits for resource versions.
     */
    private volatile long nearest = NO_CALL_WAITS;

    /** The room that waiting calls occupy. */
    private final WaitingRoom room;

    private boolean closed;

    /** A waiting call. Equal only to itself. */
    private static final class Waiter {
        private final long counter;
        private final DemandedVersions versions;
        private final Object caller;
        private final long bytes;
        private final CompletableFuture<Void> isReached = new CompletableFuture<>();

        Waiter(Freshness demanded, Object caller, long bytes) {
            counter = demanded.getRevision().getCounter();
            versions = new DemandedVersions(demanded.getResourceVersionsList());
            this.caller = caller;
            this.bytes = bytes;
        }

        long counter() {
            return counter;
        }

        /** Completes it, or fails it with {@code error}. */
        void end(@Nullable RequestException error) {
            if (error == null) {
                isReached.complete(null);
            } else {
                isReached.completeExceptionally(error);
            }
        }
    }

    /** @param reached the current revision of the state */
    WaitingCalls(Supplier<Revision> reached, FreshnessDemands demands, ScheduledExecutorService timer, Limits limits) {
        this.reached = reached;
        this.demands = demands;
        this.timer = timer;
        this.longestWait = limits.longestWait();
        this.room = new WaitingRoom(limits);
    }

    /**
     * Returns a future that completes once the state is as new as demanded. It fails with a {@link RequestException} if
     * that is impossible or takes too long. The writer's thread completes it, so dependent work must not run in that
     * thread. Cancel it if the caller is gone.
     *
     * @param caller the owner of the call; callers are compared with {@code equals}
     * @param bytes how many bytes of its request the call retains; 0 if the caller keeps the request anyway
     * @param unmet called when the time is up: the error, or null if the demands are met now
     * @throws RequestException if the call cannot wait
     */
    CompletableFuture<Void> await(
            Freshness demanded,
            Duration atMost,
            Object caller,
            long bytes,
            Supplier<@Nullable RequestException> unmet) {
        Waiter waiter = new Waiter(demanded, caller, bytes);
        synchronized (waiters) {
            if (closed) {
                throw stopping();
            }
            room.enter(caller, bytes);
            (waiter.versions.isEmpty() ? waiters : versionWaiters).add(waiter);
            updateNearest();
        }
        // A write since the caller's check, but before the insertion, has missed this waiter.
        advance(reached.get().getCounter());
        Duration most = atMost.compareTo(longestWait) < 0 ? atMost : longestWait;
        ScheduledFuture<?> timeout;
        try {
            timeout = timer.schedule(() -> waiter.end(unmet.get()), most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            remove(waiter);
            throw stopping();
        }
        CompletableFuture<Void> unused = waiter.isReached.whenComplete((done, error) -> {
            timeout.cancel(false);
            if (error != null) {
                remove(waiter);
            }
        });
        return waiter.isReached;
    }

    private void remove(Waiter waiter) {
        synchronized (waiters) {
            if (waiters.remove(waiter) || versionWaiters.remove(waiter)) {
                waitsNoMore(waiter);
            }
            updateNearest();
        }
    }

    private void waitsNoMore(Waiter waiter) {
        room.leave(waiter.caller, waiter.bytes);
    }

    /** True if a call waits. */
    public boolean isAwaited() {
        return nearest != NO_CALL_WAITS;
    }

    /** Called when the state has reached {@code counter}. */
    void advance(long counter) {
        if (counter < nearest) {
            return;
        }
        List<Waiter> due = new ArrayList<>();
        boolean versionsWanted;
        synchronized (waiters) {
            for (Waiter next = waiters.peek(); next != null && next.counter <= counter; next = waiters.peek()) {
                due.add(next);
                waiters.poll();
                waitsNoMore(next);
            }
            versionsWanted = !versionWaiters.isEmpty();
            updateNearest();
        }
        due.forEach(waiter -> waiter.end(null));
        if (versionsWanted) {
            advanceVersions();
        }
    }

    /** Called when a feed has reported versions, even if the revision has not changed. */
    public void advanceVersions() {
        if (nearest > 0) {
            return;
        }
        KindVersions state = demands.now();
        long counter = reached.get().getCounter();
        List<Waiter> due = new ArrayList<>();
        synchronized (waiters) {
            versionWaiters.removeIf(waiter -> {
                boolean isDue = !waiter.versions.areKnownBy(state)
                        || waiter.counter <= counter && waiter.versions.areHeldBy(state);
                if (isDue) {
                    due.add(waiter);
                    waitsNoMore(waiter);
                }
                return isDue;
            });
            updateNearest();
        }
        due.forEach(waiter -> waiter.end(demands.unknown(waiter.versions, state)));
    }

    private void updateNearest() {
        Waiter first = waiters.peek();
        nearest = versionWaiters.isEmpty() ? first == null ? NO_CALL_WAITS : first.counter : 0;
    }

    /** Fails all waiting calls, and rejects new ones. */
    public void close() {
        List<Waiter> left = new ArrayList<>();
        synchronized (waiters) {
            closed = true;
            left.addAll(waiters);
            left.addAll(versionWaiters);
        }
        left.forEach(waiter -> waiter.end(stopping()));
    }

    private RequestException stopping() {
        return RequestException.stopping("call again", reached.get());
    }
}
