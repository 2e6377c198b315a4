package io.evenkeel.loadtest.load;

import org.jspecify.annotations.Nullable;

/** Makes calls of one kind, of which many may be under way at the same time. */
public interface Caller extends AutoCloseable {
    /** Is called when a call is over. */
    interface Completion {
        /** The call is over; {@code fault} is null where all went well. */
        void completed(@Nullable Fault fault);
    }

    /**
     * Makes the next call. {@code completion} is called once when it is over, by any thread, perhaps before this
     * returns. It must not block.
     */
    void call(Completion completion);

    /**
     * Cancels the calls under way. Each call's completion has been called when this returns, or will be called at once.
     */
    @Override
    void close();
}
