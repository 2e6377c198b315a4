package io.evenkeel.placement.call;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.objects.Quotes;
import io.evenkeel.v1.ErrorReason;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls wait until the state is as new as they demand: until it has reached a revision and contains every event up
 * to some resource versions. A waiting call does not block a thread. The writer that reaches both completes it;
 * otherwise a timer fails it. {@link WaitingRoom} limits the number of waiting calls. Thread-safe.
 */
public final class FreshnessGate {
    private static final long NOBODY = Long.MAX_VALUE;

    private final String instance;
    private final String session;
    private final LongSupplier revision;
    private final FreshnessDemands demands;
    private final ScheduledExecutorService timer;
    private final Limits limits;

    /** Calls that wait only for a revision. */
    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>(Comparator.comparingLong(Waiter::counter));

    /** Calls that wait for resource versions, and possibly for a revision as well. */
    private final Set<Waiter> versionWaiters = new LinkedHashSet<>();

    /**
     * The lowest counter that a call waits for, so that a writer need not take the lock if no call waits for its
     * revision. 0 while a call waits for resource versions.
     */
    private volatile long nearest = NOBODY;

    /** The room that waiting calls occupy. */
    private final WaitingRoom room;

    private boolean closed;

    /** A waiting call. Equal only to itself. */
    private static final class Waiter {
        private final long counter;
        private final DemandedVersions versions;
        private final Object caller;
        private final long bytes;
        private final CompletableFuture<Void> reached;

        Waiter(long counter, DemandedVersions versions, Object caller, long bytes, CompletableFuture<Void> reached) {
            this.caller = caller;
            this.bytes = bytes;
            this.counter = counter;
            this.versions = versions;
            this.reached = reached;
        }

        long counter() {
            return counter;
        }
    }

    /** @param session the id of the session whose state it is; empty for the live state */
    FreshnessGate(
            String instance,
            String session,
            LongSupplier revision,
            FreshnessDemands demands,
            ScheduledExecutorService timer,
            Limits limits) {
        this.instance = instance;
        this.session = session;
        this.revision = revision;
        this.demands = demands;
        this.timer = timer;
        this.limits = limits;
        this.room = new WaitingRoom(limits);
    }

    /** True if the demands are met now and none of them must be rejected. */
    public boolean isReached(Freshness demanded) {
        if (isRevisionOnly(demanded)) {
            return isReached(demanded.getRevision());
        }
        try {
            return isReached(demanded.getRevision()) && demands.areMet(demanded);
        } catch (RequestException refused) {
            return false;
        }
    }

    /** True if nothing but a revision is demanded. */
    private static boolean isRevisionOnly(Freshness demanded) {
        return demanded.getResourceVersionsCount() == 0
                && demanded.getMaxAge().equals(com.google.protobuf.Duration.getDefaultInstance());
    }

    private boolean isReached(Revision demanded) {
        return demanded.getInstance().equals(instance) && demanded.getSession().equals(session)
                ? revision.getAsLong() >= demanded.getCounter()
                : demanded.equals(Revision.getDefaultInstance());
    }

    /** Rejects demands that are not met now. */
    void require(Freshness demanded) {
        if (!isReached(demanded)) {
            requireReachable(demanded);
            RequestException unmet = notReached(demanded);
            if (unmet != null) {
                throw unmet;
            }
        }
    }

    /** Rejects an answer based on {@code state} if that has fallen behind the demands since they were met. */
    void requireHeldBy(KindVersions state, Freshness demanded) {
        if (demanded.getResourceVersionsCount() > 0) {
            RequestException unmet =
                    demands.unmet(new DemandedVersions(demanded.getResourceVersionsList()), state, now());
            if (unmet != null) {
                throw unmet;
            }
        }
    }

    /** Rejects demands that waiting cannot meet. */
    private void requireReachable(Freshness demanded) {
        if (!isRevisionOnly(demanded)) {
            demands.areMet(demanded);
        }
        Revision own = demanded.getRevision();
        if (!own.getInstance().equals(instance) && !own.equals(Revision.getDefaultInstance())) {
            throw RequestException.notReached(
                    ErrorReason.ERROR_REASON_OTHER_INSTANCE,
                    "freshness.revision.instance must be this instance, " + instance + ", was "
                            + (own.getInstance().isEmpty() ? "none" : Quotes.shortened(own.getInstance())),
                    now());
        }
        if (!own.getSession().equals(session) && !own.equals(Revision.getDefaultInstance())) {
            throw RequestException.invalid(
                    "freshness.revision.session",
                    "must be that of the query, " + Quotes.quoted(session) + ", was "
                            + Quotes.quoted(own.getSession()));
        }
    }

    /** The error if the demands are not met now; null if they are. */
    private @Nullable RequestException notReached(Freshness demanded) {
        Revision reached = now();
        if (isReached(demanded.getRevision())) {
            return demands.unmet(new DemandedVersions(demanded.getResourceVersionsList()), demands.now(), reached);
        }
        return RequestException.notReached(
                ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME,
                "revision " + demanded.getRevision().getCounter() + " was not reached in time: the state is at "
                        + reached.getCounter() + " of instance " + instance,
                reached);
    }

    private Revision now() {
        return Revision.newBuilder()
                .setInstance(instance)
                .setCounter(revision.getAsLong())
                .setSession(session)
                .build();
    }

    /**
     * Returns a future that completes once the state is as new as demanded. It fails with a {@link RequestException} if
     * that is impossible or takes too long. The writer's thread completes it, so dependent work must not run in that
     * thread. Cancel it if the caller is gone.
     *
     * @param caller the owner of the call; callers are compared with {@code equals}
     * @param bytes how many bytes of its request the call retains; 0 if the caller keeps the request anyway
     */
    public CompletableFuture<Void> reach(Freshness demanded, Duration atMost, Object caller, long bytes) {
        CompletableFuture<Void> reached = new CompletableFuture<>();
        if (isReached(demanded)) {
            reached.complete(null);
            return reached;
        }
        try {
            requireReachable(demanded);
            await(
                    demanded,
                    atMost.compareTo(limits.longestWait()) < 0 ? atMost : limits.longestWait(),
                    caller,
                    bytes,
                    reached);
        } catch (RequestException e) {
            reached.completeExceptionally(e);
        }
        return reached;
    }

    /**
     * Does the work of a call on its pool once the state is as new as demanded, or fails the call.
     *
     * @param bytes the size of its request
     */
    public void whenReached(Freshness demanded, int bytes, Call<?> call, Runnable work) {
        TaskPool pool = call.pool();
        Object caller = pool.caller();
        CompletableFuture<Void> reached = reach(demanded, call.patience(), caller, pool.waitingBytes(bytes));
        call.onStop(() -> reached.cancel(false));
        CompletableFuture<Void> unused = reached.whenComplete((nothing, error) -> {
            if (error == null) {
                // Not in this thread, which may belong to the writer.
                pool.later(
                        caller,
                        bytes,
                        () -> call.attempt(() -> {
                            call.check();
                            work.run();
                        }),
                        call::fail);
            } else {
                call.fail(error);
            }
        });
    }

    private void await(
            Freshness demanded, Duration atMost, Object caller, long bytes, CompletableFuture<Void> reached) {
        Waiter waiter = new Waiter(
                demanded.getRevision().getCounter(),
                new DemandedVersions(demanded.getResourceVersionsList()),
                caller,
                bytes,
                reached);
        synchronized (waiters) {
            if (closed) {
                throw stopping();
            }
            room.enter(caller, bytes);
            (waiter.versions.isEmpty() ? waiters : versionWaiters).add(waiter);
            updateNearest();
        }
        // Checks again because a write between the check above and the insertion would have missed this waiter.
        advance(revision.getAsLong());
        ScheduledFuture<?> timeout;
        try {
            timeout = timer.schedule(() -> endInTime(demanded, reached), atMost.toNanos(), TimeUnit.NANOSECONDS);
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

    private void endInTime(Freshness demanded, CompletableFuture<Void> reached) {
        RequestException unmet = notReached(demanded);
        if (unmet == null) {
            reached.complete(null);
        } else {
            reached.completeExceptionally(unmet);
        }
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
        return nearest != NOBODY;
    }

    /** Called when the state has reached {@code counter}. */
    public void advance(long counter) {
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
        due.forEach(waiter -> waiter.reached.complete(null));
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
        long counter = revision.getAsLong();
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
        for (Waiter waiter : due) {
            RequestException unknown = demands.unknown(waiter.versions, state);
            if (unknown == null) {
                waiter.reached.complete(null);
            } else {
                waiter.reached.completeExceptionally(unknown);
            }
        }
    }

    private void updateNearest() {
        Waiter first = waiters.peek();
        nearest = versionWaiters.isEmpty() ? first == null ? NOBODY : first.counter : 0;
    }

    /** Fails all waiting calls, and rejects new ones. */
    public void close() {
        List<Waiter> left = new ArrayList<>();
        synchronized (waiters) {
            closed = true;
            left.addAll(waiters);
            left.addAll(versionWaiters);
        }
        left.forEach(waiter -> waiter.reached.completeExceptionally(stopping()));
    }

    private RequestException stopping() {
        return RequestException.stopping("call again", now());
    }
}
