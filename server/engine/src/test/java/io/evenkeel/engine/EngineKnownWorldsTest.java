package io.evenkeel.engine;

final class EngineKnownWorldsTest extends DocumentedClusters {
    @Override
    ScriptTarget subject() {
        return EngineLayout.DEFAULT.validatingSubject();
    }
}
