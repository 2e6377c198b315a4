package io.evenkeel.loadtest.load;

import org.jspecify.annotations.Nullable;

/** Makes calls of one kind, many of which may be in flight at the same time. */
public interface LoadCaller extends AutoCloseable {
    /** Called when a call is over. */
    interface Completion {
        /** The call is over. {@code fault} is null if it succeeded. */
        void completed(@Nullable Fault fault);
    }

    /**
     * Makes the next call. When it is over, {@code completion} is called once, from any thread, perhaps before this
     * returns. It must not block.
     */
    void call(Completion completion);

    /**
     * Cancels the calls in flight. Each call's completion has been called when this returns, or is called soon after.
     */
    @Override
    void close();
}
