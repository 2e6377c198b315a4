package io.evenkeel.kube;

/** How a reader may wait before it takes the next events, so that they gather. Safe for use by several threads. */
interface Rest {
    /** Waits for nothing. */
    Rest NONE = mostNanos -> {};

    /** Waits at most for so long, and only while nobody asks about the state. */
    void last(long mostNanos) throws InterruptedException;
}
