package io.evenkeel.loadtest.load;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop: it keeps a constant number of calls in flight. When a call ends, the thread that completes it makes
 * the next call at once. After a failed call, the loop's thread makes the next one a little later, so that an
 * unavailable server is not flooded with calls. Calls are due when they are made.
 */
final class ClosedLoop implements Loop {
    private static final long PAUSE_MILLIS = 10;

    private final int concurrency;
    private final Clock clock;
    private final LoadCaller caller;
    private final LatencyRecording recording;
    private final AtomicInteger inProgress = new AtomicInteger();
    /** Turns whose next call the loop's thread must make. */
    private final BlockingQueue<Turn> waiting = new LinkedBlockingQueue<>();

    private volatile long end;

    ClosedLoop(int concurrency, Clock clock, LoadCaller caller, LatencyRecording recording) {
        this.concurrency = concurrency;
        this.clock = clock;
        this.caller = caller;
        this.recording = recording;
    }

    @Override
    public void run(long start, long until, long last) throws InterruptedException {
        end = until;
        clock.sleepUntil(start);
        for (int i = 0; i < concurrency; i++) {
            new Turn().make();
        }
        for (long left = end - clock.nanos(); left > 0; left = end - clock.nanos()) {
            Turn failed = waiting.poll(left, TimeUnit.NANOSECONDS);
            if (failed != null) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                failed.make();
                for (Turn another = waiting.poll(); another != null; another = waiting.poll()) {
                    another.make();
                }
            }
        }
    }

    @Override
    public int inProgress() {
        return inProgress.get();
    }

    /** One of the concurrent callers. It makes one call after another. */
    private final class Turn implements LoadCaller.Completion {
        private long due;

        void make() {
            due = clock.nanos();
            if (due - end >= 0) {
                return;
            }
            inProgress.incrementAndGet();
            caller.call(this);
        }

        @Override
        public void completed(@Nullable Fault fault) {
            recording.completed(due, clock.nanos(), fault);
            inProgress.decrementAndGet();
            if (fault == null) {
                make();
            } else {
                waiting.add(this);
            }
        }
    }
}
