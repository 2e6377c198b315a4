package io.evenkeel.placement;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.TaskPool;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A call that is never cancelled unless its signal says so, and whose answer is a future. Its long work runs in the
 * thread that adds it.
 */
final class FutureCall<A> extends CompletableFuture<A> implements Call<A>, TaskPool {
    private final Duration patience;
    private final StopSignal stop;

    FutureCall(Duration patience) {
        this(patience, StopSignal.NEVER);
    }

    FutureCall(Duration patience, StopSignal stop) {
        this.patience = patience;
        this.stop = stop;
    }

    @Override
    public void answer(A answer) {
        complete(answer);
    }

    @Override
    public void fail(Throwable why) {
        completeExceptionally(why);
    }

    @Override
    public boolean isStopped() {
        return stop.isStopped();
    }

    @Override
    public void onStop(Runnable action) {
        // The calls of tests check by themselves.
    }

    @Override
    public Object identity() {
        return "anyone";
    }

    @Override
    public Duration patience() {
        return patience;
    }

    @Override
    public TaskPool pool() {
        return this;
    }

    @Override
    public void execute(Runnable task, Consumer<Throwable> refused) {
        task.run();
    }

    @Override
    public void later(Object caller, int bytes, Runnable task, Consumer<Throwable> refused) {
        CompletableFuture<Void> unused = CompletableFuture.runAsync(task);
    }

    @Override
    public Object caller() {
        return FutureCall.class;
    }
}
