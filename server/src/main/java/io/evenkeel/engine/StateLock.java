package io.evenkeel.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.StampedLock;

/**
 * One writer, or many readers. A {@link StampedLock} lets a writer that comes again and again, slice by slice, pass readers that wait, so that they would wait for the whole of what was cut into
 * slices for them. Here a writer first lets those in that wait already, for a bounded time. Not reentrant.
 */
final class StateLock {
    /** More than it takes to wake a reader on a machine that is not overloaded. */
    private static final long LONGEST_NANOS = 200_000;

    private static final long PAUSE_NANOS = 20_000;

    private final StampedLock lock = new StampedLock();
    private final AtomicInteger waitingReaders = new AtomicInteger();

    long readLock() {
        long stamp = lock.tryReadLock();
        if (stamp != 0) {
            return stamp;
        }
        waitingReaders.incrementAndGet();
        try {
            return lock.readLock();
        } finally {
            waitingReaders.decrementAndGet();
        }
    }

    long writeLock() {
        if (waitingReaders.get() > 0) {
            letReadersIn();
        }
        return lock.writeLock();
    }

    void unlock(long stamp) {
        lock.unlock(stamp);
    }

    private void letReadersIn() {
        long begin = System.nanoTime();
        do {
            // The reader may need this processor to wake up on.
            LockSupport.parkNanos(this, PAUSE_NANOS);
        } while (waitingReaders.get() > 0 && System.nanoTime() - begin < LONGEST_NANOS);
    }
}
