/**
 * Stores the cluster as callers have told of it: tables of nodes, hosts, pods and owners, and the objects that were
 * deleted last. Each table gives its objects small numbers (slots, ids), by which the other rooms refer to them.
 * Nothing is counted here.
 */
@NullMarked
package io.evenkeel.engine.cluster;

import org.jspecify.annotations.NullMarked;
