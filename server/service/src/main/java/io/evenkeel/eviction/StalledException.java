package io.evenkeel.eviction;

/** No more pods are evicted. The message says why, in one line. */
final class StalledException extends Exception {
    private static final long serialVersionUID = 1;

    StalledException(String message) {
        super(message);
    }
}
