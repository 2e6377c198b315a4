/**
 * Converts the engine's explanation of an answer, with its figures for each node and constraint, to an ExplainResponse
 * with readable reasons and advice.
 */
@NullMarked
package io.evenkeel.placement.explain;

import org.jspecify.annotations.NullMarked;
