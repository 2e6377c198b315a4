package io.evenkeel.engine.preemption;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.Reason;
import java.util.List;
import java.util.Map;

/**
 * What preemption can do for an incoming pod, all from one revision.
 *
 * @param revision the engine's revision
 * @param versions how current the state of each kind of object is
 * @param unknown the names of candidates that no node has
 * @param candidates how many nodes were asked about
 * @param accepting how many of these accept the pod as they are; if there are any, or if {@code victimsTerminate} or
 *     the pod may preempt none, no node was searched for victims
 * @param victimsTerminate whether pods that the pod has preempted are still terminating on its nominated node
 * @param nodes the nodes on which preemption helps, the best first, at most as many as were asked for
 * @param helpful on how many nodes preemption helps
 * @param unresolvable how many nodes are excluded by a rule that removing pods cannot change
 * @param withoutVictims how many nodes have no pod of lower priority
 * @param excluding for each reason that still excludes nodes if all pods of lower priority are removed, how many nodes
 *     have each of its messages; {@link Reason#FREE_RESOURCES} also if the node is too small
 */
public record Preemption(
        long revision,
        KindVersions versions,
        List<String> unknown,
        int candidates,
        int accepting,
        boolean victimsTerminate,
        List<NodeVictims> nodes,
        int helpful,
        int unresolvable,
        int withoutVictims,
        Map<Reason, Map<String, Integer>> excluding) {}
