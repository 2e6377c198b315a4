package io.evenkeel.kube.client;

/** How a reader waits before it reads more events, so that they are batched. Thread-safe. */
public interface ReadDelay {
    /** Does not wait. */
    ReadDelay NONE = maxNanos -> {};

    /** Waits at most this long, and returns early when a request needs the state. */
    void last(long maxNanos) throws InterruptedException;
}
