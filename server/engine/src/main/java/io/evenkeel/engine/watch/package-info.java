/**
 * Watches plans of pending pods: after changes of the cluster, finds those for which a node has begun to pass. Unlike
 * the watches of an API server, these are about answers and not about objects.
 */
@NullMarked
package io.evenkeel.engine.watch;

import org.jspecify.annotations.NullMarked;
