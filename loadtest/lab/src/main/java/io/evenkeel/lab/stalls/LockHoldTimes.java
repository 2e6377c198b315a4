package io.evenkeel.lab.stalls;

import io.evenkeel.engine.lock.LockProbe;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures the longest time since the last reset for which an engine's lock was held, for writing and for reading. It
 * uses two clocks: the processor time of the holder, and the wall clock, which includes pauses by the operating system
 * and the garbage collector.
 */
final class LockHoldTimes implements LockProbe {
    /** The last two times at which a thread has read the wall clock. */
    private static final class Looks {
        long before;
        long last;
    }

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final ThreadLocal<Looks> looks = ThreadLocal.withInitial(Looks::new);
    private final AtomicLong writeWork = new AtomicLong();
    private final AtomicLong writeWall = new AtomicLong();
    private final AtomicLong readWork = new AtomicLong();
    private final AtomicLong readWall = new AtomicLong();

    @Override
    public long now() {
        Looks own = looks.get();
        own.before = own.last;
        own.last = System.nanoTime();
        return THREADS.getCurrentThreadCpuTime();
    }

    @Override
    public void held(boolean writing, long nanos) {
        Looks own = looks.get();
        raise(writing ? writeWork : readWork, nanos);
        raise(writing ? writeWall : readWall, own.last - own.before);
    }

    private static void raise(AtomicLong longest, long nanos) {
        if (nanos > longest.get()) {
            longest.accumulateAndGet(nanos, Math::max);
        }
    }

    void reset() {
        writeWork.set(0);
        writeWall.set(0);
        readWork.set(0);
        readWall.set(0);
    }

    long writeWork() {
        return writeWork.get();
    }

    long writeWall() {
        return writeWall.get();
    }

    long readWork() {
        return readWork.get();
    }

    long readWall() {
        return readWall.get();
    }
}
