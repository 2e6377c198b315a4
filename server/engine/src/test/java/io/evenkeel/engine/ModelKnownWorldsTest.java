package io.evenkeel.engine;

import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.ScriptTarget;

final class ModelKnownWorldsTest extends DocumentedClusters {
    @Override
    ScriptTarget subject() {
        return new ModelSubject();
    }
}
