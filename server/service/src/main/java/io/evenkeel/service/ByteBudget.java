package io.evenkeel.service;

import java.util.concurrent.atomic.AtomicLong;

/** How many bytes of messages may be held at once. Safe for use by several threads. */
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

    /** Takes room for so many bytes where there is some. */
    boolean tryTake(long bytes) {
        // Not added and taken back: what finds no room must not keep others from theirs meanwhile.
        long now = held.get();
        while (now + bytes <= most) {
            if (held.compareAndSet(now, now + bytes)) {
                return true;
            }
            now = held.get();
        }
        return false;
    }

    /** Whether so many bytes would fit now. */
    boolean hasRoom(long bytes) {
        return held.get() + bytes <= most;
    }

    /** Takes room for bytes that are there already, whether they fit or not. */
    void take(long bytes) {
        held.addAndGet(bytes);
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }
}
