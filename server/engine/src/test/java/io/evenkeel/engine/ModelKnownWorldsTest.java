package io.evenkeel.engine;

final class ModelKnownWorldsTest extends DocumentedClusters {
    @Override
    ScriptTarget subject() {
        return new ModelSubject();
    }
}
