/**
 * Compares Evenkeel with kube-scheduler's own PodTopologySpread plugin, one after the other on one machine, with the
 * same generated cluster and incoming pods. Compares the answers node by node, and shows the times. The plugin runs in
 * a Go program, {@code loadtest/peer}.
 */
@NullMarked
package io.evenkeel.lab.peer;

import org.jspecify.annotations.NullMarked;
