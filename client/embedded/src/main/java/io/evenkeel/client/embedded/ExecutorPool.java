package io.evenkeel.client.embedded;

import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** A pool for long work that uses the executor of the client. */
record ExecutorPool(Executor executor) implements TaskPool {
    @Override
    public void execute(Runnable task, Consumer<Throwable> refused) {
        later(task, refused);
    }

    @Override
    public void later(Runnable task, Consumer<Throwable> refused) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException full) {
            refused.accept(RequestException.tooBusy("the client's executor takes no more work"));
        }
    }

    /** Callers of an embedded client are not told apart, so that each call is one caller's alone. */
    @Override
    public Object caller() {
        return new Object();
    }

    /** Callers of an embedded client have no turns. */
    @Override
    public TaskPool forThisCaller() {
        return this;
    }
}
