/**
 * Finds the nodes on which removing pods of lower priority makes room for an incoming pod, and which pods these are, as
 * kube-scheduler's plugin DefaultPreemption does. Plans come in, nodes with their victims go out; the cluster itself is
 * never changed.
 */
@NullMarked
package io.evenkeel.engine.preemption;

import org.jspecify.annotations.NullMarked;
