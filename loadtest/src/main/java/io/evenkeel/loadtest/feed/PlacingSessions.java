package io.evenkeel.loadtest.feed;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.loadtest.local.LocalSimulation;
import io.evenkeel.v1.Pod;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Simulated clusters that begin as a live one, and in which a thread places pods in turn, at a fixed rate. */
final class PlacingSessions implements AutoCloseable {
    static final int SESSIONS = 16;
    static final int PODS_PER_SECOND = 1_000;
    private static final long GAP_NANOS = 1_000_000_000 / PODS_PER_SECOND;

    private final List<LocalSimulation> sessions;
    private final List<PodPlan> plans;
    private final Pod pod;
    private final Thread thread = new Thread(this::run, "placing-sessions");
    private volatile boolean ended;

    /** Opens the sessions, places a copy of a pod in each, and continues to place copies. */
    PlacingSessions(SpreadEngine live, Pod pod) {
        this.pod = pod;
        sessions = IntStream.range(0, SESSIONS)
                .mapToObj(i -> new LocalSimulation(live))
                .toList();
        plans = sessions.stream().map(session -> session.plan(pod)).toList();
        IntStream.range(0, SESSIONS).forEach(this::place);
        thread.start();
    }

    private void run() {
        long next = System.nanoTime();
        for (int turn = 0; !ended; turn = (turn + 1) % SESSIONS) {
            place(turn);
            next += GAP_NANOS;
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    private void place(int turn) {
        LocalSimulation session = sessions.get(turn);
        if (session.place(List.of(session.item(plans.get(turn), pod, 1, ""))).nodes().length == 0) {
            throw new IllegalStateException("no node takes the pod");
        }
    }

    @Override
    public void close() {
        ended = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
