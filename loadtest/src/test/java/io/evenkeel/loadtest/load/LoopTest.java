package io.evenkeel.loadtest.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Loops on a clock that tests move. */
final class LoopTest {
    private static final long MILLI = 1_000_000;

    private final StalledClock clock = new StalledClock();
    private final Recording recording = new Recording(clock.nanos());
    private int calls;

    /** A call that takes {@code nanos} of the thread that makes it. */
    private Caller taking(NanosOfCall nanos) {
        return new Caller() {
            @Override
            public void call(Completion completion) {
                clock.pass(nanos.of(calls++));
                completion.completed(null);
            }

            @Override
            public void close() {}
        };
    }

    private interface NanosOfCall {
        long of(int call);
    }

    @Test
    void openLoop_countsFromSchedule_whenAStallHoldsCallsUp() throws InterruptedException {
        // 1,000 a second; the fourth call takes 10 ms, the others none.
        Caller caller = taking(call -> call == 3 ? 10 * MILLI : 0);
        long start = clock.nanos();
        new OpenLoop(1_000, clock, caller, recording).run(start, start + 20 * MILLI);
        Histogram latencies = recording.nextLatencies();
        assertEquals(20, latencies.getTotalCount());
        // Of those due 1 to 9 ms after the stall began each waited for its rest: 9, 8, .. 1 ms.
        for (int waited = 1; waited <= 9; waited++) {
            assertEquals(1, countNear(latencies, waited * MILLI), "calls that waited " + waited + " ms");
        }
        assertEquals(1, countNear(latencies, 10 * MILLI));
        assertEquals(10, latencies.getCountBetweenValues(0, MILLI / 2));
        assertEquals(9.0, recording.nextDelays().getMaxValue() / 1e6, 0.01);
    }

    @Test
    void openLoop_keepsItsRate_whenAnswersAreSlow() throws InterruptedException {
        Queue<Caller.Completion> underWay = new ArrayDeque<>();
        List<Long> made = new ArrayList<>();
        Caller never = new Caller() {
            @Override
            public void call(Completion completion) {
                made.add(clock.nanos());
                underWay.add(completion);
            }

            @Override
            public void close() {}
        };
        long start = clock.nanos();
        OpenLoop loop = new OpenLoop(100, clock, never, recording);
        loop.run(start, start + Duration.ofSeconds(1).toNanos());
        assertEquals(100, loop.underWay());
        for (int i = 0; i < 100; i++) {
            assertEquals(start + 10 * MILLI * i, made.get(i));
        }
        underWay.forEach(call -> call.completed(new Fault("UNAVAILABLE", "gone")));
        assertEquals(0, loop.underWay());
        assertEquals(100, recording.nextLatencies().getTotalCount());
        assertEquals(List.of(new ErrorCount("UNAVAILABLE", 100, "gone")), recording.errors());
    }

    @Test
    void closedLoop_makesTheNextCall_whenOneEnds() throws InterruptedException {
        Queue<Caller.Completion> underWay = new ArrayDeque<>();
        Caller caller = new Caller() {
            @Override
            public void call(Completion completion) {
                calls++;
                underWay.add(completion);
                if (calls == 50) {
                    // The load's time is over.
                    clock.pass(Duration.ofSeconds(1).toNanos());
                }
                if (underWay.size() == 4) {
                    clock.pass(MILLI);
                    underWay.remove().completed(null);
                }
            }

            @Override
            public void close() {}
        };
        long start = clock.nanos();
        ClosedLoop loop = new ClosedLoop(4, clock, caller, recording);
        loop.run(start, start + Duration.ofSeconds(1).toNanos());
        assertEquals(50, calls);
        assertEquals(0, recording.nextDelays().getTotalCount());
    }

    @Test
    void warmUp_isNotMeasured_butItsFailuresCount() {
        Recording warmed = new Recording(5 * MILLI);
        warmed.completed(4 * MILLI, 9 * MILLI, null);
        warmed.completed(4 * MILLI, 9 * MILLI, new Fault("INTERNAL", "first"));
        warmed.completed(5 * MILLI, 7 * MILLI, new Fault("INTERNAL", "second"));
        assertEquals(1, warmed.nextLatencies().getTotalCount());
        assertEquals(2, warmed.failed());
        assertEquals(List.of(new ErrorCount("INTERNAL", 2, "first")), warmed.errors());
    }

    private static long countNear(Histogram histogram, long nanos) {
        return histogram.getCountBetweenValues(nanos - nanos / 500, nanos + nanos / 500);
    }
}
