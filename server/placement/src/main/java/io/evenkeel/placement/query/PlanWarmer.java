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
 * Compiles plans ahead of queries, for pending pods from the feed and for pods that a server expects. It uses its own
 * thread, so that writers do not wait. The plan of a pod that does not fit into the queue is compiled when the pod is
 * first queried.
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
     * Like {@link #offer(Pod)}.
     *
     * @param controllerSelector the selector that the pod's controller will have; null for its current one
     */
    public void offer(Pod pod, @Nullable LabelSelector controllerSelector) {
        // The plan of a pod that is dropped here is compiled when the pod is first queried.
        waiting.offer(new Ahead(pod, controllerSelector));
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

    private void warm(Ahead ahead) {
        try {
            plans.warm(ahead.pod(), ahead.controllerSelector());
        } catch (InvalidObjectException | CapacityException | PlanLimitException e) {
            // A query for this pod returns the same error.
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "failed to compile a pod's plan in advance", e);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
