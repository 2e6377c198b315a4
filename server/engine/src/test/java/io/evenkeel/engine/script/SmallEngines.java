package io.evenkeel.engine.script;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.model.EngineOptions;

/** Makes engines with small tables, which soon fill up. */
public final class SmallEngines {
    private static final int PLENTY = 1_000;

    private SmallEngines() {}

    /** With room for this many names of nodes. */
    public static SpreadEngine ofHosts(int hosts) {
        return of(new Capacity(PLENTY, PLENTY, hosts, PLENTY));
    }

    /** With room for 64 KiB of texts. */
    public static SpreadEngine ofOnePageOfTexts() {
        return of(new Capacity(1, PLENTY, PLENTY, PLENTY));
    }

    private static SpreadEngine of(Capacity capacity) {
        return new SpreadEngine(EngineOptions.defaults(), System::nanoTime, capacity);
    }
}
