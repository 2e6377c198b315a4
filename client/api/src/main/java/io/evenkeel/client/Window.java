package io.evenkeel.client;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits the number and bytes of messages under way on a stream, so that a slow server blocks the caller instead of
 * filling memory. A message larger than the limit is sent when no other is under way.
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

    /** Waits for room and takes it. Returns false if the window was closed. */
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

    /** Takes room if there is enough now. */
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
