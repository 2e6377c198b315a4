/**
 * The calls of {@code evenkeel.v1} without a transport: request messages in, response messages out. What carries them,
 * gRPC or a call in the same JVM, stands above.
 *
 * <p>{@link io.evenkeel.placement.Instance} holds the parts together. Queries go
 * {@link io.evenkeel.placement.PlacementHandler} → {@link io.evenkeel.placement.call.Prepared} → the engine → a form of
 * answer, readable or packed; changes go {@link io.evenkeel.placement.ClusterStateHandler} → {@code Feeder} → the
 * engine. What is wrong with a whole request is a {@link io.evenkeel.placement.call.RequestException}; what is wrong
 * with one of its items stands in that item.
 */
@NullMarked
package io.evenkeel.placement;

import org.jspecify.annotations.NullMarked;
