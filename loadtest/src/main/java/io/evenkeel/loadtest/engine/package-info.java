/**
 * Measures the cost of the engine's answers and events. Contains the benchmarks, which JMH runs in a separate JVM for
 * each figure, the list of figures, and their bounds.
 */
@NullMarked
package io.evenkeel.loadtest.engine;

import org.jspecify.annotations.NullMarked;
