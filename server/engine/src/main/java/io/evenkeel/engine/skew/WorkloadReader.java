package io.evenkeel.engine.skew;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.StoredPod;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what the engine does not interpret: the workload of a stored pod, and what its template asks for. */
public interface WorkloadReader {
    /**
     * What was read of a pod.
     *
     * @param workload null if it has no controller
     * @param controller its controller itself, which may be below the workload; null if it has none
     * @param revision the revision of its workload; empty if there is none
     * @param pod null if it is invalid
     * @param defaults the default constraints for it
     * @param error why it is invalid; otherwise empty
     */
    record Reading(
            @Nullable WorkloadName workload,
            @Nullable WorkloadName controller,
            String revision,
            @Nullable IncomingPod pod,
            SpreadDefaults defaults,
            String error) {}

    /** The keys of the labels on which the workload and its revision depend, besides the template. */
    Set<String> keys();

    /** Reads a pod. All but its labels depends only on its template. */
    Reading read(StoredPod pod);
}
