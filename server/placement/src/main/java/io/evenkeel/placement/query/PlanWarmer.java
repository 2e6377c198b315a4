package io.evenkeel.placement.query;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Pod;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Compiles plans ahead, for the pending pods that the feed brings and for those that a server prepares itself for,
 * before a caller asks about them. It does so in a thread of its own, so that writers do not wait. A pod that does not
 * fit into the queue is compiled when a caller asks about it.
 */
public final class PlanWarmer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PlanWarmer.class.getName());

    private static final int WAITING = 1_024;

    private final BlockingQueue<Ahead> waiting = new ArrayBlockingQueue<>(WAITING);
    private final PodPlans plans;
    private final Thread thread;

    /** @param controllerSelector as for {@link PodPlans#warm} */
    private record Ahead(Pod pod, @Nullable LabelSelector controllerSelector) {}

    public PlanWarmer(PodPlans plans) {
        this.plans = plans;
        thread = new Thread(this::run, "evenkeel-plans");
        thread.setDaemon(true);
        thread.start();
    }

    /** Queues a pod, unless the queue is full. Never blocks. */
    public void offer(Pod pod) {
        offer(pod, null);
    }

    /**
     * As {@link #offer(Pod)}.
     *
     * @param controllerSelector the selector that the pod's controller will have; null for the one that it has
     */
    public void offer(Pod pod, @Nullable LabelSelector controllerSelector) {
        // A pod that is dropped here is compiled when a caller asks about it.
        waiting.offer(new Ahead(pod, controllerSelector));
    }

    private void run() {
        try {
            while (true) {
                warm(waiting.take());
            }
        } catch (InterruptedException e) {
            // The warmer was closed.
        }
    }

    private void warm(Ahead ahead) {
        try {
            plans.warm(ahead.pod(), ahead.controllerSelector());
        } catch (InvalidObjectException | CapacityException | PlanLimitException e) {
            // A caller who asks about this pod gets the same error.
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a pod's plan could not be made ahead", e);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
