/**
 * The calls of {@code evenkeel.v1} without a transport. Other modules pass requests and responses, by gRPC or by calls
 * in the same JVM.
 *
 * <p>{@link io.evenkeel.placement.Instance} connects the parts. Queries go {@link io.evenkeel.placement.call.Handler} →
 * the engine → a form of answer, readable or packed; changes go {@link io.evenkeel.placement.ClusterStateHandler} →
 * {@code Feeder} → the engine. An error of a whole request is a {@link io.evenkeel.placement.call.RequestException}. An
 * error of one of its items is reported for that item in the response.
 */
@NullMarked
package io.evenkeel.placement;

import org.jspecify.annotations.NullMarked;
