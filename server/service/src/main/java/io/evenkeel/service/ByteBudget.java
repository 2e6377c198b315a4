package io.evenkeel.service;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes of messages that the server holds, and bounds them. Safe for use by several threads. */
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

    /** Takes room for {@code bytes} bytes, if there is enough. */
    boolean tryTake(long bytes) {
        // Compared first, and not added and taken back: a message without room must not take room from others
        // meanwhile.
        long now = held.get();
        while (now + bytes <= most) {
            if (held.compareAndSet(now, now + bytes)) {
                return true;
            }
            now = held.get();
        }
        return false;
    }

    /** Whether there is room for {@code bytes} bytes now. */
    boolean hasRoom(long bytes) {
        return held.get() + bytes <= most;
    }

    /** Takes room for bytes that are held already, even if there is not enough. */
    void take(long bytes) {
        held.addAndGet(bytes);
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }
}
