/**
 * Answers what-if cases: the verdict on one node in a hypothetical cluster, with some pods removed and others added.
 * Cases with plans come in, verdicts go out; the counts of the plans are copied, so the cluster itself is never
 * changed.
 */
@NullMarked
package io.evenkeel.engine.whatif;

import org.jspecify.annotations.NullMarked;
