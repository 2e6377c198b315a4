/**
 * Evenkeel beside kube-scheduler's own PodTopologySpread plugin: the same generated cluster and incoming pods, one
 * machine, in turn; the answers node by node, and the times. The plugin runs in a Go program, {@code loadtest/peer}.
 */
@NullMarked
package io.evenkeel.loadtest.peer;

import org.jspecify.annotations.NullMarked;
