/**
 * The calls of {@code evenkeel.v1} without a transport: request messages come in, response messages go out. The modules
 * above carry them, by gRPC or by calls in the same JVM.
 *
 * <p>{@link io.evenkeel.placement.Instance} holds the parts together. Queries go
 * {@link io.evenkeel.placement.PlacementHandler} → {@link io.evenkeel.placement.call.Prepared} → the engine → a form of
 * answer, readable or packed; changes go {@link io.evenkeel.placement.ClusterStateHandler} → {@code Feeder} → the
 * engine. An error of a whole request is a {@link io.evenkeel.placement.call.RequestException}; an error of one of its
 * items is reported in the response for that item.
 */
@NullMarked
package io.evenkeel.placement;

import org.jspecify.annotations.NullMarked;
