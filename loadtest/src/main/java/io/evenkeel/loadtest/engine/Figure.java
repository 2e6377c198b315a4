package io.evenkeel.loadtest.engine;

import java.util.Map;

/**
 * A figure of the engine to measure: a benchmark, its parameters, and its bound.
 *
 * @param what what is measured, in words for a table
 * @param parameters the parameters of the benchmark and its cluster; those not named have only one value
 * @param mostNanos the bound on the p50, in nanoseconds; 0 for no bound
 * @param kind which kind of measurement it is
 */
record Figure(String what, Class<?> benchmark, Map<String, String> parameters, long mostNanos, Kind kind) {
    enum Kind {
        /** How long calls take: as many calls as the time allows. */
        TIMES,
        /** How long calls take: a few hundred calls, because each of them adds to the index. */
        FEW_TIMES,
        /** How many bytes calls allocate; they must allocate nothing. */
        GARBAGE,
        /** How many answers two threads get from one engine, divided by those that they get from two engines. */
        SCALING
    }

    Figure {
        parameters = Map.copyOf(parameters);
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }
}
