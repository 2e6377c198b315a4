package io.evenkeel.placement.call;

import io.evenkeel.v1.Freshness;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Runs calls for all transports: waits until the state is as new as demanded, then answers short calls immediately and
 * long ones on a pool.
 *
 * <pre>
 *   the state is as new as demanded ───► prepare ──► short ──► answer                     in this thread
 *                                                └─► long  ──► answer                     on a pool
 *   it is not ──► wait, without a thread ──────────► parse again, prepare and answer      on a pool
 * </pre>
 *
 * <p>The work stops soon after the call is cancelled or its deadline has passed. Thread-safe.
 */
public final class CallRunner {
    private final FreshnessGate gate;
    private final RecentQueries recent;
    private final ScheduledExecutorService timer;

    /** @param timer expires requests of streams */
    public CallRunner(FreshnessGate gate, RecentQueries recent, ScheduledExecutorService timer) {
        this.gate = gate;
        this.recent = recent;
        this.timer = timer;
    }

    /**
     * Like {@link #run(TaskPool, IntFunction, Supplier, ReadRequest, Recipient)}, for a request of a stream.
     *
     * @param limit how long the answer may take; an invalid limit is rejected before anything else
     * @param recipient also fails with a {@link CancellationException} once the limit has passed
     */
    public <A> void run(
            TaskPool pool,
            IntFunction<TaskPool> afterWait,
            TimeLimit limit,
            Supplier<Duration> patience,
            ReadRequest<A> request,
            Recipient<A> recipient) {
        if (isValid(limit, recipient)) {
            run(
                    within(limit, pool, recipient),
                    bytes -> within(limit, afterWait.apply(bytes), recipient),
                    () -> limit.left(patience.get()),
                    request,
                    recipient);
        }
    }

    /**
     * Like {@link #run(TaskPool, Freshness, Supplier, Supplier, Recipient)}, for a request of a stream.
     *
     * @param limit how long the answer may take; an invalid limit is rejected before anything else
     * @param recipient also fails with a {@link CancellationException} once the limit has passed
     */
    public <A> void run(
            TaskPool pool,
            TimeLimit limit,
            Freshness demanded,
            Supplier<Duration> patience,
            Supplier<Prepared<A>> prepare,
            Recipient<A> recipient) {
        if (isValid(limit, recipient)) {
            run(within(limit, pool, recipient), demanded, () -> limit.left(patience.get()), prepare, recipient);
        }
    }

    private static boolean isValid(TimeLimit limit, Recipient<?> recipient) {
        try {
            limit.requireValid("timeout");
            return true;
        } catch (RequestException e) {
            recipient.failed(e);
            return false;
        }
    }

    private TaskPool within(TimeLimit limit, TaskPool pool, Recipient<?> recipient) {
        return limit.isGiven()
                ? new ExpiringPool(
                        pool,
                        limit,
                        timer,
                        () -> recipient.failed(
                                new CancellationException("the request's timeout passed before work on it started")))
                : pool;
    }

    /**
     * Answers or rejects a request from the network, now or later. While the request waits for the state, only its
     * bytes are kept, and their total size is limited.
     *
     * @param pool runs long work
     * @param afterWait the pool that parses and answers a request of the given size after it has waited
     * @param patience how long the call may wait for the state
     */
    public <A> void run(
            TaskPool pool,
            IntFunction<TaskPool> afterWait,
            Supplier<Duration> patience,
            ReadRequest<A> request,
            Recipient<A> recipient) {
        recent.note();
        if (gate.isReached(request.freshness())) {
            run(pool, request::prepare, recipient);
            return;
        }
        KeptRequest<A> kept = request.kept();
        int bytes = kept.bytes().size();
        whenReached(
                afterWait.apply(bytes),
                request.freshness(),
                patience,
                bytes,
                () -> kept.prepare(recipient::isOver),
                recipient);
    }

    /**
     * Answers or rejects a request from this process, now or later. Its size is not limited while it waits because the
     * caller keeps it anyway.
     *
     * @param pool runs long work
     * @param demanded how new the state must be; the default instance accepts any state
     * @param patience how long the call may wait for the state
     * @param prepare reads and validates the request
     */
    public <A> void run(
            TaskPool pool,
            Freshness demanded,
            Supplier<Duration> patience,
            Supplier<Prepared<A>> prepare,
            Recipient<A> recipient) {
        recent.note();
        if (gate.isReached(demanded)) {
            run(pool, prepare, recipient);
            return;
        }
        whenReached(pool, demanded, patience, 0, prepare, recipient);
    }

    private <A> void whenReached(
            TaskPool pool,
            Freshness demanded,
            Supplier<Duration> patience,
            int bytes,
            Supplier<Prepared<A>> prepare,
            Recipient<A> recipient) {
        TaskPool own = pool.forThisCaller();
        CompletableFuture<Void> reached = gate.reach(demanded, patience.get(), pool.caller(), bytes);
        recipient.whenOver(() -> reached.cancel(false));
        CompletableFuture<Void> unused = reached.whenComplete((nothing, error) -> {
            if (error == null) {
                // Not in this thread, which belongs to the writer.
                own.later(() -> answer(prepare, recipient), recipient::failed);
            } else {
                recipient.failed(error);
            }
        });
    }

    /** Like {@link #run(TaskPool, Freshness, Supplier, Supplier, Recipient)}, for a request that accepts any state. */
    public static <A> void run(TaskPool pool, Supplier<Prepared<A>> prepare, Recipient<A> recipient) {
        attempt(recipient, () -> {
            Prepared<A> prepared = prepare.get();
            if (prepared.isShort()) {
                recipient.answered(prepared.answer());
            } else {
                pool.execute(() -> answer(() -> prepared, recipient), recipient::failed);
            }
        });
    }

    private static <A> void answer(Supplier<Prepared<A>> prepare, Recipient<A> recipient) {
        attempt(recipient, () -> {
            if (recipient.isOver()) {
                throw new CancellationException("the call was cancelled or its deadline has passed");
            }
            recipient.answered(prepare.get().answer(recipient::isOver));
        });
    }

    private static void attempt(Recipient<?> recipient, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            recipient.failed(e);
        } catch (Error e) {
            // The error ends this thread, so the call must end too.
            recipient.failed(e);
            throw e;
        }
    }

    /**
     * Answers a request in this thread, blocking until the state is as new as demanded.
     *
     * @param over true once the call is cancelled or its deadline has passed; not called while this waits for the state
     * @throws RequestException if the request is rejected
     * @throws CancellationException soon after {@code over} returns true
     */
    public <A> A await(Freshness demanded, Duration patience, Supplier<Prepared<A>> prepare, BooleanSupplier over)
            throws InterruptedException {
        recent.note();
        if (!gate.isReached(demanded)) {
            CompletableFuture<Void> reached = gate.reach(demanded, patience, Thread.currentThread(), 0);
            try {
                reached.get();
            } catch (InterruptedException e) {
                reached.cancel(false);
                throw e;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RequestException refused) {
                    throw refused;
                }
                throw new IllegalStateException(e.getCause());
            }
        }
        return prepare.get().answer(over);
    }
}
