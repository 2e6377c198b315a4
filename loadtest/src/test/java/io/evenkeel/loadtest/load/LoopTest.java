package io.evenkeel.loadtest.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Tests loops with a manual clock. */
final class LoopTest {
    private static final long MILLI = 1_000_000;

    private final StalledClock clock = new StalledClock();
    private final LatencyRecording recording = new LatencyRecording(clock.nanos());
    private int calls;

    /** A caller whose calls block the calling thread for {@code nanos}. */
    private LoadCaller taking(NanosOfCall nanos) {
        return new LoadCaller() {
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
        LoadCaller caller = taking(call -> call == 3 ? 10 * MILLI : 0);
        long start = clock.nanos();
        new OpenLoop(1_000, clock, caller, recording).run(start, start + 20 * MILLI, start + 30 * MILLI);
        Histogram latencies = recording.latencies();
        assertEquals(20, latencies.getTotalCount());
        // Calls that were due 1 to 9 ms after the stall began waited for its end: 9, 8, .. 1 ms.
        for (int waited = 1; waited <= 9; waited++) {
            assertEquals(1, countNear(latencies, waited * MILLI), "calls that waited " + waited + " ms");
        }
        assertEquals(1, countNear(latencies, 10 * MILLI));
        assertEquals(10, latencies.getCountBetweenValues(0, MILLI / 2));
        assertEquals(9.0, recording.delays().getMaxValue() / 1e6, 0.01);
    }

    @Test
    void openLoop_keepsItsRate_whenAnswersAreSlow() throws InterruptedException {
        Queue<LoadCaller.Completion> inProgress = new ArrayDeque<>();
        List<Long> made = new ArrayList<>();
        LoadCaller never = new LoadCaller() {
            @Override
            public void call(Completion completion) {
                made.add(clock.nanos());
                inProgress.add(completion);
            }

            @Override
            public void close() {}
        };
        long start = clock.nanos();
        OpenLoop loop = new OpenLoop(100, clock, never, recording);
        loop.run(
                start,
                start + Duration.ofSeconds(1).toNanos(),
                start + Duration.ofSeconds(2).toNanos());
        assertEquals(100, loop.inProgress());
        for (int i = 0; i < 100; i++) {
            assertEquals(start + 10 * MILLI * i, made.get(i));
        }
        inProgress.forEach(call -> call.completed(new Fault("UNAVAILABLE", "gone")));
        assertEquals(0, loop.inProgress());
        assertEquals(100, recording.latencies().getTotalCount());
        assertEquals(List.of(new ErrorCount("UNAVAILABLE", "", 100, "gone")), recording.errors());
    }

    @Test
    void openLoop_countsWhatItDidNotMakeAsFailed_withWhatItHadWaited() throws InterruptedException {
        LoadCaller caller = taking(call -> call == 9 ? 500 * MILLI : 0);
        long start = clock.nanos();
        new OpenLoop(100, clock, caller, recording).run(start, start + 300 * MILLI, start + 350 * MILLI);
        // Ten calls were made; the last was due at 90 ms and ended at 590 ms. Twenty, due at 100, 110, .. 290 ms,
        // were not.
        assertEquals(20, recording.failed());
        assertEquals("not made", recording.errors().get(0).status());
        Histogram latencies = recording.latencies();
        assertEquals(30, latencies.getTotalCount());
        // The call that was due at 100 ms and not made, and the one that took 500 ms.
        assertEquals(1, countNear(latencies, 490 * MILLI));
        assertEquals(1, countNear(latencies, 500 * MILLI));
        assertEquals(1, countNear(latencies, 300 * MILLI));
        assertEquals(30, recording.delays().getTotalCount());
    }

    @Test
    void run_reportsEveryCallThatWasDue_whenTheServerAnswersNone() throws InterruptedException {
        Queue<LoadCaller.Completion> inProgress = new ConcurrentLinkedQueue<>();
        LoadCaller never = new LoadCaller() {
            @Override
            public void call(Completion completion) {
                inProgress.add(completion);
            }

            @Override
            public void close() {
                inProgress.forEach(call -> call.completed(new Fault("CANCELLED", "the load is over")));
            }
        };
        Round result = Round.run(
                received -> new OpenLoop(200_000, Clock.SYSTEM, never, received),
                never,
                Duration.ZERO,
                Duration.ofMillis(100),
                Duration.ofMillis(50));
        assertEquals(20_000, result.latencies().getTotalCount());
        assertEquals(20_000, result.failed());
        assertEquals(
                List.of("CANCELLED", "not made"),
                result.errors().stream().map(ErrorCount::status).toList());
    }

    @Test
    void closedLoop_makesTheNextCall_whenOneEnds() throws InterruptedException {
        Queue<LoadCaller.Completion> inProgress = new ArrayDeque<>();
        LoadCaller caller = new LoadCaller() {
            @Override
            public void call(Completion completion) {
                calls++;
                inProgress.add(completion);
                if (calls == 50) {
                    // The duration of the load is over.
                    clock.pass(Duration.ofSeconds(1).toNanos());
                }
                if (inProgress.size() == 4) {
                    clock.pass(MILLI);
                    inProgress.remove().completed(null);
                }
            }

            @Override
            public void close() {}
        };
        long start = clock.nanos();
        ClosedLoop loop = new ClosedLoop(4, clock, caller, recording);
        loop.run(
                start,
                start + Duration.ofSeconds(1).toNanos(),
                start + Duration.ofSeconds(2).toNanos());
        assertEquals(50, calls);
        assertEquals(0, recording.delays().getTotalCount());
    }

    @Test
    void failures_areCountedByStatusAndReason() {
        LatencyRecording recorded = new LatencyRecording(0);
        for (String reason : List.of("STOPPING", "NOT_FED", "STOPPING")) {
            recorded.completed(1, 2, new Fault("UNAVAILABLE", reason, "as it says"));
        }
        assertEquals(
                List.of(
                        new ErrorCount("UNAVAILABLE", "NOT_FED", 1, "as it says"),
                        new ErrorCount("UNAVAILABLE", "STOPPING", 2, "as it says")),
                recorded.errors());
    }

    @Test
    void warmUp_isNotMeasured_butItsFailuresCount() {
        LatencyRecording warmed = new LatencyRecording(5 * MILLI);
        warmed.completed(4 * MILLI, 9 * MILLI, null);
        warmed.completed(4 * MILLI, 9 * MILLI, new Fault("INTERNAL", "first"));
        warmed.completed(5 * MILLI, 7 * MILLI, new Fault("INTERNAL", "second"));
        assertEquals(1, warmed.latencies().getTotalCount());
        assertEquals(2, warmed.failed());
        assertEquals(List.of(new ErrorCount("INTERNAL", "", 2, "first")), warmed.errors());
    }

    private static long countNear(Histogram histogram, long nanos) {
        return histogram.getCountBetweenValues(nanos - nanos / 500, nanos + nanos / 500);
    }
}
