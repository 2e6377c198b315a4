/**
 * Makes hypothetical clusters: finds the pods of an overlay, and shifts the counts in copies of plans by them. The
 * cluster itself is never changed. Answers, explanations and what-ifs use it.
 */
@NullMarked
package io.evenkeel.engine.overlay;

import org.jspecify.annotations.NullMarked;
