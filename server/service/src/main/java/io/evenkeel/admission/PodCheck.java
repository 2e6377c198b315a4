package io.evenkeel.admission;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.v1.Pod;
import java.util.List;

/** Finds mistakes in a pod. Thread-safe. */
@FunctionalInterface
public interface PodCheck {
    /**
     * One line for each mistake.
     *
     * @param stop stops the work when the result is no longer needed, with an unchecked exception
     * @throws InvalidObjectException if the pod is invalid
     */
    List<String> warnings(Pod pod, StopSignal stop) throws InvalidObjectException;
}
