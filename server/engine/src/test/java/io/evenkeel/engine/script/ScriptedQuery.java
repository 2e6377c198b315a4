package io.evenkeel.engine.script;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.SpreadDefaults;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A question of a script about one incoming pod. */
public sealed interface ScriptedQuery extends Act {
    IncomingPod pod();

    SpreadDefaults defaults();

    Overlay overlay();

    /**
     * Asks which nodes the pod may go to, and which are best.
     *
     * @param candidates null for every node
     * @param overlay the hypothetical changes to the cluster
     */
    record Placement(
            IncomingPod pod,
            SpreadDefaults defaults,
            @Nullable Set<String> candidates,
            Overlay overlay) implements ScriptedQuery {
        /** Without an overlay. */
        public Placement(IncomingPod pod, SpreadDefaults defaults, @Nullable Set<String> candidates) {
            this(pod, defaults, candidates, Overlay.NONE);
        }
    }

    /**
     * Asks whether the pod may go to one node in a hypothetical cluster.
     *
     * @param overlay the changes; pods that it adds without naming a node are put on {@code node}
     */
    record WhatIf(IncomingPod pod, SpreadDefaults defaults, String node, Overlay overlay) implements ScriptedQuery {}
}
