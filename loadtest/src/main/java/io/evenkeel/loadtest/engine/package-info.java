/**
 * What the engine's answers and events cost, measured by JMH in a JVM of their own for each figure: the benchmarks,
 * which of them are run, and what their figures are held against.
 */
@NullMarked
package io.evenkeel.loadtest.engine;

import org.jspecify.annotations.NullMarked;
