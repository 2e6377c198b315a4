/**
 * Generates clusters for demonstrations and measurements: of any size, the same again for the same seed, and without
 * holding their pods in memory.
 *
 * <p>A <em>workload</em> stands for what a Deployment makes: its ReplicaSet, a Service, and pods with the same labels
 * and the same {@link io.evenkeel.loadtest.cluster.Spread}. A <em>pool</em> is a group of nodes of one machine type and
 * with the same taints.
 */
@NullMarked
package io.evenkeel.loadtest.cluster;

import org.jspecify.annotations.NullMarked;
