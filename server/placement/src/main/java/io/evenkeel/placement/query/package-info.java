/**
 * Reads requests, from their bytes to the plans of their pods. Bytes of Filter, Score and Evaluate come in; queries
 * come out, whose pods are known or parsed, and whose plans are found or compiled in the engine.
 */
@NullMarked
package io.evenkeel.placement.query;

import org.jspecify.annotations.NullMarked;
