package io.evenkeel.loadtest.conformance;

import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A scenario: one line of a corpus file.
 *
 * @param defaults the default constraints of each request; none if the line has none
 */
record Scenario(String name, DefaultConstraints defaults, List<Step> steps) {

    static final DefaultConstraints NO_DEFAULTS = DefaultConstraints.newBuilder()
            .setType(DefaultConstraints.Type.TYPE_LIST)
            .build();

    sealed interface Step permits Apply, Query, Alternative, Whole, Operations {}

    /** Watch events, in order. */
    record Apply(List<ClusterEvent> events) implements Step {}

    /**
     * Filter for every candidate, then Score for those that passed.
     *
     * @param candidates node names, or null for every node
     * @param filter the expected code of each candidate; empty if codes are not checked
     * @param scores the expected score of each candidate that passed; empty if scores are not checked
     */
    record Query(Pod pod, @Nullable List<String> candidates, Map<String, NodeCode> filter, Map<String, Integer> scores)
            implements Step {}

    /**
     * Every filter on every node.
     *
     * @param excluded the nodes that do not pass
     * @param sentence kube-scheduler's message if no node passes; otherwise empty
     */
    record Whole(Pod pod, Map<String, Exclusion> excluded, String sentence) implements Step {}

    /** @param reasons the messages of the first filter that excludes the node */
    record Exclusion(NodeCode code, List<String> reasons) {}

    /** Changes of the cluster, each in the state that the one before left. */
    record Operations(List<Operation> operations) implements Step {}

    /**
     * An operation in a session.
     *
     * @param change not set if a pod is dropped because it finds no node
     * @param place what is expected if it places a pod; otherwise null
     */
    record Operation(SessionOperation change, @Nullable Place place) {}

    /**
     * The pod goes to the best of the nodes that pass every filter, and counts there from then on. Among equal scores,
     * the lowest name is the best.
     *
     * @param node empty if no node passes; the pod is dropped then
     * @param sentence kube-scheduler's message then; otherwise empty
     */
    record Place(Pod pod, String node, String sentence) {}

    /** Filter for one node of a hypothetical cluster with some pods removed and others added. */
    record Alternative(Pod pod, String node, List<PodReference> remove, List<Pod> add, NodeCode expected)
            implements Step {
        WhatIfRequest request(DefaultConstraints defaults) {
            Overlay.Builder overlay = Overlay.newBuilder().addAllWithout(remove);
            add.forEach(added -> overlay.addAdd(AddedPod.newBuilder().setObject(added)));
            return WhatIfRequest.newBuilder()
                    .setPod(pod)
                    .addCases(WhatIfCase.newBuilder().setNode(node).setOverlay(overlay))
                    .setDefaults(defaults)
                    .build();
        }
    }
}
