package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.v1.Revision;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls with one answer: on the event loop that read them where they are short, else on a pool. Work ends soon
 * after the call is cancelled or its deadline has passed.
 */
final class UnaryCalls {
    /** Taken off a deadline, so that the caller learns how far the state has got before it stops listening. */
    private static final Duration MOST_RESERVE = Duration.ofMillis(50);

    private static final int RESERVE_PART = 10;
    private static final Duration NO_DEADLINE = Duration.ofDays(365);

    private final PlacementHandler handler;

    UnaryCalls(PlacementHandler handler) {
        this.handler = handler;
    }

    /** Answers a query, once the state has got as far as it demands; on {@code pool} where that is not short. */
    <A> void query(WorkerPool pool, Revision atLeast, Supplier<Prepared<A>> prepare, StreamObserver<A> observer) {
        ServerCallStreamObserver<A> call = (ServerCallStreamObserver<A>) observer;
        if (handler.isReached(atLeast)) {
            try {
                Prepared<A> prepared = prepare.get();
                if (prepared.isShort()) {
                    finish(call, prepared.answer());
                } else {
                    work(pool, stop -> prepared.answer(stop), call);
                }
            } catch (RuntimeException e) {
                fail(call, e);
            }
            return;
        }
        CompletableFuture<Void> reached = handler.reach(atLeast, patience());
        call.setOnCancelHandler(() -> reached.cancel(false));
        CompletableFuture<Void> unused = reached.whenComplete((done, error) -> whenReached(pool, prepare, call, error));
    }

    private static <A> void whenReached(
            WorkerPool pool,
            Supplier<Prepared<A>> prepare,
            ServerCallStreamObserver<A> call,
            @Nullable Throwable error) {
        if (error != null) {
            fail(call, error);
        } else {
            // Not here: this is the thread that wrote.
            pool.later(() -> run(stop -> prepare.get().answer(stop), call), refusal -> fail(call, refusal));
        }
    }

    /** Answers on a pool. */
    <A> void work(WorkerPool pool, Function<BooleanSupplier, A> answer, StreamObserver<A> observer) {
        ServerCallStreamObserver<A> call = (ServerCallStreamObserver<A>) observer;
        // With a handler, answering a call that was cancelled meanwhile is no error.
        call.setOnCancelHandler(() -> {});
        pool.execute(() -> run(answer, call), refusal -> fail(call, refusal));
    }

    /** Answers at once. */
    <A> void now(Supplier<A> answer, StreamObserver<A> observer) {
        run(stop -> answer.get(), (ServerCallStreamObserver<A>) observer);
    }

    private static <A> void run(Function<BooleanSupplier, A> answer, ServerCallStreamObserver<A> call) {
        if (call.isCancelled()) {
            return;
        }
        try {
            finish(call, answer.apply(call::isCancelled));
        } catch (CancellationException e) {
            // Nobody listens any more.
        } catch (RuntimeException e) {
            fail(call, e);
        }
    }

    private static <A> void finish(ServerCallStreamObserver<A> call, A answer) {
        call.onNext(answer);
        call.onCompleted();
    }

    private static void fail(ServerCallStreamObserver<?> call, Throwable error) {
        if (!call.isCancelled()) {
            call.onError(StatusErrors.of(error));
        }
    }

    /** How long the caller of the call under way will listen. */
    static Duration patience() {
        Deadline deadline = Context.current().getDeadline();
        if (deadline == null) {
            return NO_DEADLINE;
        }
        Duration left = Duration.ofNanos(Math.max(0, deadline.timeRemaining(TimeUnit.NANOSECONDS)));
        Duration reserve = left.dividedBy(RESERVE_PART);
        return left.minus(reserve.compareTo(MOST_RESERVE) < 0 ? reserve : MOST_RESERVE);
    }
}
