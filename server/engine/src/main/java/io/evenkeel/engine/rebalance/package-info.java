/** Plans the fewest moves of pods that bring the constraints of workloads within maxSkew. */
@NullMarked
package io.evenkeel.engine.rebalance;

import org.jspecify.annotations.NullMarked;
