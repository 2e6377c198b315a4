package io.evenkeel.engine;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.SpreadDefaults;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A question of a script about one incoming pod. */
public sealed interface Query extends Act {
    IncomingPod pod();

    SpreadDefaults defaults();

    Overlay overlay();

    /**
     * Where the pod may go and where it should.
     *
     * @param candidates null for every node
     * @param overlay how the cluster is changed in thought
     */
    record Placement(
            IncomingPod pod,
            SpreadDefaults defaults,
            @Nullable Set<String> candidates,
            Overlay overlay) implements Query {
        /** In the cluster as it is. */
        public Placement(IncomingPod pod, SpreadDefaults defaults, @Nullable Set<String> candidates) {
            this(pod, defaults, candidates, Overlay.NONE);
        }
    }

    /**
     * Whether it may go to one node in a changed cluster.
     *
     * @param overlay the changes; pods that it puts on without naming a node are put on {@code node}
     */
    record WhatIf(IncomingPod pod, SpreadDefaults defaults, String node, Overlay overlay) implements Query {}
}
