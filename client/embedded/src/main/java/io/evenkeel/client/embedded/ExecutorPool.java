package io.evenkeel.client.embedded;

import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** A pool for long-running work that uses the client's executor. */
record ExecutorPool(Executor executor) implements TaskPool {
    @Override
    public void execute(Runnable task, Consumer<Throwable> refused) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException full) {
            refused.accept(RequestException.tooBusy("the client's executor rejected the task"));
        }
    }

    /** Callers of an embedded client are not scheduled in turn. */
    @Override
    public void later(Object caller, int bytes, Runnable task, Consumer<Throwable> refused) {
        execute(task, refused);
    }

    /** Callers of an embedded client are not distinguished, so each call counts as a separate caller. */
    @Override
    public Object caller() {
        return new Object();
    }

    /** The caller is in this process, and keeps its request anyway. */
    @Override
    public int waitingBytes(int bytes) {
        return 0;
    }
}
