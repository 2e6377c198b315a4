package io.evenkeel.engine.victims;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.skew.ConstraintCounts;
import io.evenkeel.engine.skew.WorkloadName;
import java.util.List;

/**
 * In which order the pods of a controller are best deleted.
 *
 * @param versions how current the state of each kind of object is; must not be changed
 * @param controllers the requested controllers with pods, by name; unless exactly one, the lists below are empty
 * @param pods how many pods the controller has
 * @param error why the constraints of a pod are not known; otherwise empty
 * @param constraints the different constraints of the pods, and how the pods are spread before the first is deleted
 * @param victims in the order of deletion
 */
public record RankedVictims(
        long revision,
        KindVersions versions,
        List<WorkloadName> controllers,
        int pods,
        String error,
        List<ConstraintCounts> constraints,
        List<Victim> victims) {
    /**
     * A pod to delete.
     *
     * @param uid its UID
     * @param node the node that it is on; empty if it has none
     * @param skews the skew of each constraint after it and those before it are gone
     */
    public record Victim(String uid, String name, String node, List<Integer> skews) {}
}
