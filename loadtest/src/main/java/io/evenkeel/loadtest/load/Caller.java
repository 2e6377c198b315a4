package io.evenkeel.loadtest.load;

import org.jspecify.annotations.Nullable;

/** Makes calls of one kind, many at once. */
public interface Caller extends AutoCloseable {
    /** What is told of a call when it is over. */
    interface Completion {
        /** The call is over; {@code fault} is null where all went well. */
        void completed(@Nullable Fault fault);
    }

    /**
     * Makes the next call. {@code completion} is told of its end once, by any thread, perhaps before this returns; it
     * must not block.
     */
    void call(Completion completion);

    /** Breaks off what is under way; each call's completion has been told when this returns or will be at once. */
    @Override
    void close();
}
