package io.evenkeel.loadtest.load;

import java.util.concurrent.locks.LockSupport;

/** The clock that loops read and wait on. Tests replace it. */
interface Clock {
    Clock SYSTEM = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void sleepUntil(long nanos) {
            for (long left = nanos - nanos(); left > 0; left = nanos - nanos()) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                LockSupport.parkNanos(left);
            }
        }
    };

    /** The time, like {@link System#nanoTime}. */
    long nanos();

    /** Waits until that time. Returns at once if it has passed or the thread is interrupted. */
    void sleepUntil(long nanos);
}
