package io.evenkeel.engine;

final class EngineKnownWorldsTest extends KnownWorlds {
    @Override
    Subject subject() {
        return EngineLayout.DEFAULT.validatingSubject();
    }
}
