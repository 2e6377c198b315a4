/**
 * Generates clusters for demonstrations and measurements. They can have any size, are reproducible by their seed, and
 * do not hold their pods in memory.
 *
 * <p>A <em>workload</em> represents what a Deployment creates: a ReplicaSet, and pods with the same labels and the same
 * {@link io.evenkeel.loadtest.cluster.Spread}, together with their Service. A <em>pool</em> is a group of nodes with
 * the same machine type and taints.
 */
@NullMarked
package io.evenkeel.loadtest.cluster;

import org.jspecify.annotations.NullMarked;
