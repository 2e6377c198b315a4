/**
 * The race of schedulers on a real control plane: the stock kube-scheduler and others bind the same pods on the same
 * cluster, one after the other.
 */
@NullMarked
package io.evenkeel.lab.scheduler;

import org.jspecify.annotations.NullMarked;
