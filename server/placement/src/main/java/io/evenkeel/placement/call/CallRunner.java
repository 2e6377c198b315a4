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
 * Runs calls for all transports: waits until the state is as new as demanded, and answers short calls at once and long
 * ones on a pool.
 *
 * <pre>
 *   the state is as new as demanded ───► prepare ──► short ──► answer                     in this thread
 *                                                └─► long  ──► answer                     on a pool
 *   it is not ──► wait, without a thread ──────────► read again, prepare and answer       on a pool
 * </pre>
 *
 * <p>The work ends soon after nobody waits for the answer any more. Safe for use by several threads.
 */
public final class CallRunner {
    private final FreshnessGate gate;
    private final RecentQueries recent;
    private final ScheduledExecutorService timer;

    /** @param timer tells requests of streams that their time is over */
    public CallRunner(FreshnessGate gate, RecentQueries recent, ScheduledExecutorService timer) {
        this.gate = gate;
        this.recent = recent;
        this.timer = timer;
    }

    /**
     * As {@link #run(TaskPool, IntFunction, Supplier, ReadRequest, Recipient)}, for a request of a stream.
     *
     * @param limit how long the answer may take; a limit that is not valid is refused before anything else
     * @param recipient also fails with a {@link CancellationException} once the time is over
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
     * As {@link #run(TaskPool, Freshness, Supplier, Supplier, Recipient)}, for a request of a stream.
     *
     * @param limit how long the answer may take; a limit that is not valid is refused before anything else
     * @param recipient also fails with a {@link CancellationException} once the time is over
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
                        () -> recipient.failed(new CancellationException("the time was over before work began")))
                : pool;
    }

    /**
     * Answers a request that came over a network, or refuses it, now or later. While it waits for the state, only its
     * bytes are kept, and they are bounded.
     *
     * @param pool runs work that takes long
     * @param afterWait the pool that reads and answers a request of so many bytes once it has waited
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
     * Answers a request of this process, or refuses it, now or later. The caller keeps the request anyway, so its size
     * is not bounded while it waits.
     *
     * @param pool runs work that takes long
     * @param demanded how new the state must be; the default instance demands nothing
     * @param patience how long the call may wait for it
     * @param prepare reads and checks the request
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
                // Not in this thread: it is the writer's.
                own.later(() -> answer(prepare, recipient), recipient::failed);
            } else {
                recipient.failed(error);
            }
        });
    }

    /** As {@link #run(TaskPool, Freshness, Supplier, Supplier, Recipient)}, for a request that demands nothing. */
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
                throw new CancellationException("nobody waits for the answer");
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
            // The thread ends with it; the call must end too.
            recipient.failed(e);
            throw e;
        }
    }

    /**
     * Answers a request in this thread, which waits until the state is as new as demanded.
     *
     * @param over says whether the caller does not wait any more; not called while this waits for the state
     * @throws RequestException where the request is refused
     * @throws CancellationException soon after {@code over} says so
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
