/**
 * Turns a cluster and its pending pods into a {@link io.evenkeel.engine.estimate.Problem}. All rules are asked of the
 * pods' plans: which nodes a pod may enter, what is free, which nodes are eligible, and what was counted.
 */
@NullMarked
package io.evenkeel.engine.pending;

import org.jspecify.annotations.NullMarked;
