package io.evenkeel.client;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds what a stream has under way, in messages and in bytes, so that a slow server slows its caller down and fills
 * no memory. A message larger than all the bytes allowed goes alone.
 */
final class Window {
    private final int maxMessages;
    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition changed = lock.newCondition();
    private int messages;
    private long bytes;
    private boolean open = true;

    Window(int maxMessages, long maxBytes) {
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
    }

    /** Waits for room; false where the window was closed instead. */
    boolean enter(long size) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (open && !fits(size)) {
                changed.await();
            }
            return open && take(size);
        } finally {
            lock.unlock();
        }
    }

    /** Takes room where there is some now. */
    boolean tryEnter(long size) {
        lock.lock();
        try {
            return open && fits(size) && take(size);
        } finally {
            lock.unlock();
        }
    }

    void leave(long size) {
        lock.lock();
        try {
            messages--;
            bytes -= size;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            open = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean fits(long size) {
        return messages == 0 || messages < maxMessages && bytes + size <= maxBytes;
    }

    private boolean take(long size) {
        messages++;
        bytes += size;
        return true;
    }
}
