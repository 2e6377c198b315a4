/**
 * A client for services in the JVM.
 *
 * <p>{@link io.evenkeel.client.PlacementClient} is what a service holds: the calls of the protocol, blocking, as
 * futures and as streams. {@code io.evenkeel.client.remote.RemotePlacement} makes one that talks to a server;
 * {@code io.evenkeel.client.embedded.EmbeddedPlacement} makes one that has the index in this process. Requests and
 * answers are the messages of {@code io.evenkeel.v1}; {@link io.evenkeel.client.Query} writes the common ones,
 * {@link io.evenkeel.client.PackedAnswers} and {@link io.evenkeel.client.NodeTables} read packed answers. Every failure
 * of a call is a {@link io.evenkeel.client.PlacementException}.
 */
@NullMarked
package io.evenkeel.client;

import org.jspecify.annotations.NullMarked;
