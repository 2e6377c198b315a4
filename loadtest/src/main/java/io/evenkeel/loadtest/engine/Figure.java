package io.evenkeel.loadtest.engine;

import java.util.Map;

/**
 * One figure of the engine: a benchmark and its parameters, and what it is held against.
 *
 * @param what in words, for a table
 * @param parameters of the benchmark and its cluster; those not named have one value only
 * @param mostNanos the p50 wanted, in nanoseconds; 0 where nothing is
 * @param allocatesNothing whether it must not allocate, and so is judged by that
 */
record Figure(
        String what, Class<?> benchmark, Map<String, String> parameters, long mostNanos, boolean allocatesNothing) {
    Figure {
        parameters = Map.copyOf(parameters);
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }
}
