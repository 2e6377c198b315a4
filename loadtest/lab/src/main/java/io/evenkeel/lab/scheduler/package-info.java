/**
 * The race of schedulers with a real control plane: the stock kube-scheduler beside others, on the same cluster and the
 * same pods, each in its turn.
 */
@NullMarked
package io.evenkeel.lab.scheduler;

import org.jspecify.annotations.NullMarked;
