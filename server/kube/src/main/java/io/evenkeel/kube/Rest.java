package io.evenkeel.kube;

/** What a reader may wait for before it takes the next events, so that they gather. Safe for use by several threads. */
interface Rest {
    /** Waits for nothing. */
    Rest NONE = mostNanos -> {};

    /** Waits at most for so long, and no longer than nobody cares for the events. */
    void last(long mostNanos) throws InterruptedException;
}
