/** The tables of the cluster as it was told: nodes, hosts, pods, owners, and what was deleted last. */
@NullMarked
package io.evenkeel.engine.cluster;

import org.jspecify.annotations.NullMarked;
