/**
 * A client for JVM programs.
 *
 * <p>{@link io.evenkeel.client.PlacementClient} has the calls of the protocol: blocking, as futures and as streams.
 * {@code io.evenkeel.client.remote.RemotePlacement} creates one that connects to a server;
 * {@code io.evenkeel.client.embedded.EmbeddedPlacement} creates one with the index in this process. Requests and
 * answers are the messages of {@code io.evenkeel.v1}. {@link io.evenkeel.client.Query} builds the common requests, and
 * {@link io.evenkeel.client.PackedAnswers} and {@link io.evenkeel.client.NodeTables} read packed answers. Every failed
 * call throws a {@link io.evenkeel.client.PlacementException}.
 */
@NullMarked
package io.evenkeel.client;

import org.jspecify.annotations.NullMarked;
