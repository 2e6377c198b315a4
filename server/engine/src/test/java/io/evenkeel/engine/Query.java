package io.evenkeel.engine;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadDefaults;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A question of a script about one incoming pod. */
public sealed interface Query extends Act {
    IncomingPod pod();

    SpreadDefaults defaults();

    /**
     * Where the pod may go and where it should.
     *
     * @param candidates null for every node
     */
    record Placement(
            IncomingPod pod,
            SpreadDefaults defaults,
            @Nullable Set<String> candidates) implements Query {}

    /**
     * Whether it may go to one node once pods are taken off it and put on it.
     *
     * @param removed a UID or a namespace/name each
     */
    record WhatIf(IncomingPod pod, SpreadDefaults defaults, String node, List<String> removed, List<PodObject> added)
            implements Query {}
}
