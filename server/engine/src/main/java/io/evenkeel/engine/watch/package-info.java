/**
 * Watches plans: after changes of the cluster, finds those for which a node has begun to pass. Plans come in, and stay
 * until their watch ends.
 */
@NullMarked
package io.evenkeel.engine.watch;

import org.jspecify.annotations.NullMarked;
