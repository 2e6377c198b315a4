/**
 * Stores the cluster as callers report it: tables of nodes, hosts, pods, owners and budgets, and tombstones of recently
 * deleted objects. Each table assigns its objects small numbers (slots, ids), by which the other packages refer to
 * them. Nothing is counted here.
 */
@NullMarked
package io.evenkeel.engine.cluster;

import org.jspecify.annotations.NullMarked;
