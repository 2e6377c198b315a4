package io.evenkeel.engine;

final class ModelKnownWorldsTest extends KnownWorlds {
    @Override
    Subject subject() {
        return new ModelSubject();
    }
}
