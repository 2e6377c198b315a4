package io.evenkeel.service;

import java.util.concurrent.atomic.AtomicLong;

/** Counts and bounds the bytes of messages that the server holds. Thread-safe. */
final class ByteBudget {
    private final long most;
    private final AtomicLong held = new AtomicLong();

    ByteBudget(long most) {
        this.most = most;
    }

    long most() {
        return most;
    }

    long held() {
        return held.get();
    }

    /** Reserves {@code bytes} bytes, if that many are available. */
    boolean tryTake(long bytes) {
        // Compares before adding: a message that does not fit must not take room from others, even for a moment.
        long now = held.get();
        while (now + bytes <= most) {
            if (held.compareAndSet(now, now + bytes)) {
                return true;
            }
            now = held.get();
        }
        return false;
    }

    /** Whether {@code bytes} bytes are available now. */
    boolean hasRoom(long bytes) {
        return held.get() + bytes <= most;
    }

    /** Reserves room for bytes that are already held, even beyond the limit. */
    void take(long bytes) {
        held.addAndGet(bytes);
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }
}
