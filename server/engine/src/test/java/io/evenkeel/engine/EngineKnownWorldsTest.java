package io.evenkeel.engine;

import io.evenkeel.engine.script.ScriptTarget;

final class EngineKnownWorldsTest extends DocumentedClusters {
    @Override
    ScriptTarget subject() {
        return EngineLayout.DEFAULT.validatingSubject();
    }
}
