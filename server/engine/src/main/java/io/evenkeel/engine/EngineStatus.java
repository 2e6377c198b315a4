package io.evenkeel.engine;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import java.util.Set;

/** How much the engine holds, at one revision: numbers of objects, and of the parts of the index. */
public record EngineStatus(
        long revision,
        KindVersions versions,
        long nodeTableRevision,
        Set<ObjectKind> snapshotsUnderWay,
        int nodes,
        int pods,
        int countedPods,
        int assumedPods,
        int podsOnUnknownNodes,
        int owners,
        int labelClasses,
        int selectors,
        int eligibilities,
        int spreadGroups,
        int plans) {}
