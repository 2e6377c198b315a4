package io.evenkeel.engine.script;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import java.util.Map;
import java.util.Set;

/** One change of the cluster in a script. */
public sealed interface Step extends Act {
    /** Whether it begins or ends a snapshot, which forks do not have. */
    default boolean isAboutSnapshots() {
        return this instanceof BeginSnapshot || this instanceof EndSnapshot || this instanceof AbandonSnapshot;
    }

    record NodeEvent(Change change, NodeObject node) implements Step {}

    record PodEvent(Change change, PodObject pod) implements Step {}

    record OwnerEvent(Change change, OwnerObject owner) implements Step {}

    record BudgetEvent(Change change, DisruptionBudget budget) implements Step {}

    /** An event of an object that does not come from the feed of its kind. */
    record FromElsewhere(Step event) implements Step {}

    record BeginSnapshot(Set<ObjectKind> kinds) implements Step {}

    /**
     * Makes sense only if a snapshot of one of the kinds is in progress.
     *
     * @param lists the kinds, each with the version of its list; 0 if unknown
     */
    record EndSnapshot(Map<ObjectKind, Long> lists) implements Step {}

    record AbandonSnapshot(Set<ObjectKind> kinds) implements Step {}

    /** The pod counts on its nodeName, although no event has shown it there yet. */
    record Assume(PodObject pod, long expiresAt) implements Step {}

    record Forget(String uid) implements Step {}

    /** Advances the clock to {@code now}. */
    record Expire(long now) implements Step {}
}
