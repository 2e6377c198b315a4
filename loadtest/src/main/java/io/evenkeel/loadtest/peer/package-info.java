/**
 * Compares Evenkeel with kube-scheduler's own PodTopologySpread plugin: with the same generated cluster and incoming
 * pods, on one machine, in turn. The answers are compared node by node, and the times are shown. The plugin runs in a
 * Go program, {@code loadtest/peer}.
 */
@NullMarked
package io.evenkeel.loadtest.peer;

import org.jspecify.annotations.NullMarked;
