package io.evenkeel.engine;

import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.model.EngineOptions;

/** Makes engines with small tables, which are soon full. */
public final class SmallEngines {
    private static final int PLENTY = 1_000;

    private SmallEngines() {}

    /** For so many names of nodes. */
    public static SpreadEngine ofHosts(int hosts) {
        return of(new Capacity(PLENTY, PLENTY, hosts, PLENTY));
    }

    /** For texts of 64 KiB. */
    public static SpreadEngine ofOnePageOfTexts() {
        return of(new Capacity(1, PLENTY, PLENTY, PLENTY));
    }

    private static SpreadEngine of(Capacity capacity) {
        return new SpreadEngine(EngineOptions.defaults(), System::nanoTime, capacity);
    }
}
