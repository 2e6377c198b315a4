/**
 * Measures what answers and events of the engine cost. It holds the benchmarks, which JMH runs in a JVM of their own
 * for each figure, the list of figures, and their bounds.
 */
@NullMarked
package io.evenkeel.loadtest.engine;

import org.jspecify.annotations.NullMarked;
