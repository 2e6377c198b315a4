package io.evenkeel.loadtest.load;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Makes calls on a schedule: call i is due i / rate after the start, whatever became of those before it. A call that is made late, because the thread was, counts from when it
 * was due all the same. With {@value #MOST_UNDER_WAY} calls under way the next waits for one to end, so that a server that is gone fills no memory; that too counts.
 */
final class OpenLoop implements Loop {
    static final int MOST_UNDER_WAY = 10_000;

    private final double nanosBetween;
    private final Clock clock;
    private final Caller caller;
    private final Recording recording;
    private final Semaphore room = new Semaphore(MOST_UNDER_WAY);

    /** @param rate calls a second */
    OpenLoop(double rate, Clock clock, Caller caller, Recording recording) {
        this.nanosBetween = TimeUnit.SECONDS.toNanos(1) / rate;
        this.clock = clock;
        this.caller = caller;
        this.recording = recording;
    }

    @Override
    public void run(long start, long end) throws InterruptedException {
        for (long i = 0; ; i++) {
            long due = start + Math.round(i * nanosBetween);
            if (due - end >= 0) {
                return;
            }
            clock.sleepUntil(due);
            room.acquire();
            recording.made(due, clock.nanos());
            caller.call(fault -> {
                recording.completed(due, clock.nanos(), fault);
                room.release();
            });
        }
    }

    @Override
    public int underWay() {
        return MOST_UNDER_WAY - room.availablePermits();
    }
}
