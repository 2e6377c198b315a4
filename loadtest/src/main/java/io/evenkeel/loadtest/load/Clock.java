package io.evenkeel.loadtest.load;

import java.util.concurrent.locks.LockSupport;

/** The time that loops read and wait for. Tests replace it. */
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

    /** The time as in {@link System#nanoTime}. */
    long nanos();

    /** Waits until that time. Returns at once where it has passed or the thread is interrupted. */
    void sleepUntil(long nanos);
}
