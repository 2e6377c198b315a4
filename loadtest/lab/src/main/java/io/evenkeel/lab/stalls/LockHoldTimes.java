package io.evenkeel.lab.stalls;

import io.evenkeel.engine.lock.LockProbe;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.LongAccumulator;

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

    final LongAccumulator writeWork = new LongAccumulator(Math::max, 0);
    final LongAccumulator writeWall = new LongAccumulator(Math::max, 0);
    final LongAccumulator readWork = new LongAccumulator(Math::max, 0);
    final LongAccumulator readWall = new LongAccumulator(Math::max, 0);
    private final ThreadLocal<Looks> looks = ThreadLocal.withInitial(Looks::new);

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
        (writing ? writeWork : readWork).accumulate(nanos);
        (writing ? writeWall : readWall).accumulate(own.last - own.before);
    }

    void reset() {
        writeWork.reset();
        writeWall.reset();
        readWork.reset();
        readWall.reset();
    }
}
