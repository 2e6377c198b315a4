package io.evenkeel.placement.query;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.v1.Pod;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Compiles the plans of pods that wait for a node, as the feed shows them, before anyone asks: off the write path, one
 * after another. What does not fit in the queue is left to the first who asks.
 */
public final class PlanWarmer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PlanWarmer.class.getName());

    private static final int WAITING = 1_024;

    private final BlockingQueue<Pod> waiting = new ArrayBlockingQueue<>(WAITING);
    private final PodPlans plans;
    private final Thread thread;

    public PlanWarmer(PodPlans plans) {
        this.plans = plans;
        thread = new Thread(this::run, "evenkeel-plans");
        thread.setDaemon(true);
        thread.start();
    }

    /** Never blocks. */
    public void offer(Pod pod) {
        // What is dropped is compiled when it is asked for.
        waiting.offer(pod);
    }

    private void run() {
        try {
            while (true) {
                warm(waiting.take());
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    private void warm(Pod pod) {
        try {
            plans.warm(pod);
        } catch (InvalidObjectException | CapacityException | PlanLimitException e) {
            // Whoever asks about it will be told.
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a pod's plan could not be made ahead", e);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
