package io.evenkeel.engine;

import io.evenkeel.engine.model.KindVersions;

/** How much the engine holds, at one revision: numbers of objects, and of the parts of the index. */
public record EngineStatus(
        long revision,
        KindVersions versions,
        long nodeTableRevision,
        int nodes,
        int pods,
        int countedPods,
        int assumedPods,
        int podsOnUnknownNodes,
        int owners,
        int budgets,
        int labelClasses,
        int selectors,
        int eligibilities,
        int spreadGroups,
        int plans) {}
