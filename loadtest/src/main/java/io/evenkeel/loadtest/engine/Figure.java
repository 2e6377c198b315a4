package io.evenkeel.loadtest.engine;

import java.util.Map;

/**
 * One figure of the engine: a benchmark and its parameters, and what it is held against.
 *
 * @param what in words, for a table
 * @param parameters of the benchmark and its cluster; those not named have one value only
 * @param mostNanos the p50 wanted, in nanoseconds; 0 where nothing is
 * @param kind what is measured of it
 */
record Figure(String what, Class<?> benchmark, Map<String, String> parameters, long mostNanos, Kind kind) {
    enum Kind {
        /** How long calls take, as many as there is time for. */
        TIMES,
        /** The same of a few hundred, each of which leaves something behind. */
        FEW_TIMES,
        /** What is allocated; it must be nothing. */
        GARBAGE,
        /** How many answers two threads get from one engine, over those from an engine each. */
        SCALING
    }

    Figure {
        parameters = Map.copyOf(parameters);
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }
}
