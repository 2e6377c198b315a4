package io.evenkeel.kube;

/** How a reader waits before it reads more events, so that they are batched. Thread-safe. */
interface Rest {
    /** Does not wait. */
    Rest NONE = mostNanos -> {};

    /** Waits at most this long, and returns early when a request needs the state. */
    void last(long mostNanos) throws InterruptedException;
}
