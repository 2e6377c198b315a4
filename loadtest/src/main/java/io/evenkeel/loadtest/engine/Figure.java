package io.evenkeel.loadtest.engine;

import java.util.Map;

/**
 * A figure of the engine to measure: a benchmark, its parameters, and its bound.
 *
 * @param what what is measured, as text for a table
 * @param parameters the parameters of the benchmark and its cluster; parameters not named have only one value
 * @param maxNanos the bound on the p50, in nanoseconds; 0 for no bound
 * @param kind the kind of measurement
 */
record Figure(String what, Class<?> benchmark, Map<String, String> parameters, long maxNanos, Kind kind) {
    enum Kind {
        /** Call times, from as many calls as fit in the time. */
        TIMES,
        /** Call times, from a few hundred calls, because each of them adds to the index. */
        FEW_TIMES,
        /** Bytes that calls allocate. They must not allocate. */
        GARBAGE,
        /**
         * The number of answers that two threads get from one engine, divided by the number that they get from two
         * engines.
         */
        SCALING
    }

    Figure {
        parameters = Map.copyOf(parameters);
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }
}
