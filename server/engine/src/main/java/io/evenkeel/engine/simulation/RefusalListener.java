package io.evenkeel.engine.simulation;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.model.Assumption;

/** Receives the pods that were not placed, in order. */
@FunctionalInterface
public interface RefusalListener {
    /**
     * Called if there is no node for the next of some pods, so that it and the rest of them are not placed. Must copy
     * what it needs, quickly and without calling the engine, because a lock is held.
     *
     * @param item the position of these pods
     * @param answer the verdict on each node, or on the only node to try
     * @return whether to call {@link #afterRefusal}
     */
    boolean refused(int item, Answer answer);

    /**
     * Called after {@link #refused} without a lock. In a simulated cluster, the state is still the one in which the pod
     * was refused, and may be changed before the next pod is judged; a live cluster has changed since.
     */
    default void afterRefusal(int item) {
        throw new IllegalStateException("afterRefusal was not asked for");
    }

    /** Called under the lock if a pod that has a node already, or was deleted, cannot be assumed on a chosen node. */
    default void notAssumed(int item, Assumption why) {
        throw new IllegalStateException(why.name());
    }
}
