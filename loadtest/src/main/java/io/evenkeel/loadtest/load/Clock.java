package io.evenkeel.loadtest.load;

import java.util.concurrent.locks.LockSupport;

/** Time as loops see it. */
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

    /** As {@link System#nanoTime}. */
    long nanos();

    /** Returns at that time, or at once where it is past or the thread is interrupted. */
    void sleepUntil(long nanos);
}
