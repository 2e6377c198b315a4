package io.evenkeel.loadtest.load;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * An open loop: it makes calls on a schedule. Call i is due i / rate seconds after the start, whether or not earlier
 * calls have ended. The latency of a call counts from when it was due, even if the thread made it late. With
 * {@value #MAX_IN_PROGRESS} calls in flight, the next one waits until a call ends, so that an unavailable server does
 * not fill the memory; this wait counts as well. Calls that were due, but were not made in time, count as failures with
 * the time that they waited.
 */
final class OpenLoop implements Loop {
    static final int MAX_IN_PROGRESS = 10_000;

    private static final Fault NOT_MADE = new Fault(
            "not made", "due, but not made by the end: too many calls in flight, or the generator is too slow");

    private final double nanosBetween;
    private final Clock clock;
    private final LoadCaller caller;
    private final LatencyRecording recording;
    private final Semaphore room = new Semaphore(MAX_IN_PROGRESS);

    /** @param rate calls per second */
    OpenLoop(double rate, Clock clock, LoadCaller caller, LatencyRecording recording) {
        this.nanosBetween = TimeUnit.SECONDS.toNanos(1) / rate;
        this.clock = clock;
        this.caller = caller;
        this.recording = recording;
    }

    @Override
    public void run(long start, long end, long last) throws InterruptedException {
        for (long i = 0; due(start, i) - end < 0; i++) {
            long due = due(start, i);
            clock.sleepUntil(due);
            long left = last - clock.nanos();
            if (left <= 0 || !room.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                giveUp(start, i, end);
                return;
            }
            recording.made(due, clock.nanos());
            caller.call(fault -> {
                recording.completed(due, clock.nanos(), fault);
                room.release();
            });
        }
    }

    private long due(long start, long call) {
        return start + Math.round(call * nanosBetween);
    }

    /**
     * Records the calls that were never made. Otherwise the percentiles would lack exactly the calls that waited
     * longest.
     */
    private void giveUp(long start, long from, long end) {
        long now = clock.nanos();
        for (long i = from; due(start, i) - end < 0; i++) {
            recording.made(due(start, i), now);
            recording.completed(due(start, i), now, NOT_MADE);
        }
    }

    @Override
    public int inProgress() {
        return MAX_IN_PROGRESS - room.availablePermits();
    }
}
