/** Counts how the pods of all workloads are spread, in one pass over the pods of a copy of the cluster. */
@NullMarked
package io.evenkeel.engine.skew;

import org.jspecify.annotations.NullMarked;
